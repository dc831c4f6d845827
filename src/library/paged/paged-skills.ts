import type { AbortOptions } from '../../core/abort.js'
import { isSkillshelfError, SkillshelfError } from '../../core/errors.js'
import { joinPath, relativePath, safePath } from '../../core/paths.js'
import { decodeText } from '../../skill/decode.js'
import { splitFrontmatter } from '../../skill/frontmatter.js'
import type { FileInfo, Skill, SkillFile } from '../../skill/skill.js'
import type { ReadFileOptions } from '../api/backend.js'
import { createLookup } from '../catalog/lookup.js'
import { packedFile, readPackedFile } from '../catalog/packed-files.js'
import { keepOpened } from '../query/arguments.js'
import { createSkill, createSkillFile, fileNotFound, readFile } from '../query/skill-file.js'
import type { FoundSkill } from './paged-index.js'
import { addSeen, byName, type PagedState, toLookup } from './paged-state.js'

/** Opens a skill by id or name. */
export async function open(
  state: PagedState,
  name: string,
  { signal }: AbortOptions,
): Promise<Skill> {
  const known = state.opened.get(name)
  if (known) return known.skill
  const { parts, index } = state
  let rows: readonly FoundSkill[]
  try {
    rows = await index.find(toLookup(name), { signal })
  } catch (error) {
    const skill = isSkillshelfError(error, 'source-failed') && openedByName(state, name)
    if (!skill) throw error
    parts.lifetime.check({ signal })
    return skill
  }
  parts.lifetime.check({ signal })
  addSeen(state, index, [])
  const summary = byName(
    state,
    name,
    rows.map(row => row.summary),
  )
  const row = rows.find(({ summary: { id } }) => id === summary.id)
  if (!row) {
    // It was seen, and cannot be found.
    throw new SkillshelfError(
      'source-failed',
      `${parts.files.name} lists ${summary.id} and does not have it`,
      {
        subject: summary.id,
        hint: 'publish the skills again',
      },
    )
  }
  const { digest } = summary
  const [details, bytes] = await Promise.all([
    row.details({ signal }),
    readPackedFile(parts.files, packedFile(digest, '.md'), digest, signal),
  ])
  const { text } = decodeText(bytes)
  const { body } = splitFrontmatter(text)
  const skill = createSkill(summary, { digest, text, body, details }, `skill://${summary.id}`)
  const { version } = row
  if (index === state.index) keepOpened(state.opened, skill.id, { skill, version })
  addSeen(state, index, [summary])
  return skill
}

/** An opened skill, which stays readable by name while the engine is down. */
function openedByName({ opened }: PagedState, name: string): Skill | undefined {
  const skills = [...opened.values()].map(({ skill }) => skill)
  try {
    return opened.get(createLookup(skills, new Map()).find(name).id)?.skill
  } catch {
    return undefined
  }
}

/** Reads a file of a skill, or of one inside it. */
export async function read(
  state: PagedState,
  name: string,
  path: string,
  options: ReadFileOptions,
): Promise<SkillFile> {
  const outer = await open(state, name, options)
  const fullPath = safePath(path)
  const skill = (await nestedSkill(state, outer, fullPath, options)) ?? outer
  const inner = relativePath(skill.path, joinPath(outer.path, fullPath))
  const own = { path: skill.file, digest: skill.digest }
  const info = inner === skill.file ? own : skill.files.find(file => file.path === inner)
  if (!info) throw fileNotFound(outer, path, outer.files)
  const locate = ({ path, digest = '' }: FileInfo) => ({ path: packedFile(digest, path), digest })
  const content = await readFile({ source: state.parts.files, locate }, info, options)
  const location = `skill://${outer.id}/${fullPath}`
  return createSkillFile(info, content, { path: fullPath, skill: outer.id, location })
}

/** The innermost nested skill that has a file which the outer one does not have. */
async function nestedSkill(
  state: PagedState,
  outer: Skill,
  path: string,
  { signal }: AbortOptions,
) {
  const folders = path.split('/').slice(0, -1)
  if (path === outer.file || outer.files.some(file => file.path === path) || folders.length === 0) {
    return undefined
  }
  const ids = folders.map((_, index) => `${outer.id}/${folders.slice(0, index + 1).join('/')}`)
  const rows = await state.index.find({ ids, keys: [] }, { signal })
  const [id] = rows.map(({ summary }) => summary.id).sort((a, b) => b.length - a.length)
  return id === undefined ? undefined : open(state, id, { signal })
}
