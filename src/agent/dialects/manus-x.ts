import * as z from 'zod/mini'
import type { AbortOptions } from '../../core/abort.js'
import { SkillshelfError } from '../../core/errors.js'
import { lineFeeds, plainLine } from '../../core/sanitize.js'
import type { Skill, SkillId, SkillSummary } from '../../skill/skill.js'
import type { Requester } from '../session/open-skills.js'
import { listFiles } from '../session/skill-content.js'
import { defineTool, dialectTools, requiredText } from '../session/tool.js'
import type { ToolResult } from '../session/tool-types.js'
import type { Dialect, Session } from '../session/types.js'
import {
  boundedListing,
  fullListing,
  type ListingFormat,
  NAME_AND_DESCRIPTION,
  reminderToCall,
} from './listing.js'
import { fileText, inspectSkill, undefinedIfNotFound } from './lookup.js'

/** `Skill` of ManusX. */
export interface ManusXSkill {
  name: string
  description: string
  /** Instructions, trimmed. */
  body: string
  /** Path of the SKILL.md. Absolute if the source has absolute paths. */
  path: string
  /** Path of the folder. */
  dir: string
  /** Paths of the files in scripts/, references/ and assets/, in this order. */
  resources: string[]
}

/** The functions of ManusX's `SkillLoader`, and `file_read`. */
export interface ManusXSkills {
  /** `has_skills`. */
  hasSkills(): boolean
  /** `get_descriptions`: a `- name: description` line for each skill, without a size limit. */
  getDescriptions(): string
  /** `skills.get(name)`. `undefined` if no skill matches. */
  getSkill(name: string, options?: AbortOptions): Promise<ManusXSkill | undefined>
  /** `get_skill_content`: opens the skill in the session. `undefined` if no skill matches, `''` if the body is empty. */
  getSkillContent(name: string, options?: AbortOptions): Promise<string | undefined>
  /**
   * `file_read`: reads a file by its full path, or relative to the skill requested last.
   * @throws SkillshelfError `resource-not-found`, `not-loaded`, `unsupported`, `not-allowed`
   */
  fileRead(file: string, options?: AbortOptions): Promise<string>
}

const FOLDERS = ['scripts/', 'references/', 'assets/']
const SECTION: ListingFormat = {
  head: '## Available Skills\n\nYou have access to the following domain expertise:',
  ...NAME_AND_DESCRIPTION,
  foot: '\nWhen a task matches a skill, request its full content.',
}

const failed = (message: string): ToolResult => ({
  text: message,
  isError: true,
  data: { success: false, message },
})

const skillRequest = defineTool({
  name: 'skill_request',
  description: 'Gives the full content of a skill, and where its resources are.',
  input: z.object({ skill_name: requiredText('Name of the skill') }),
  skill: 'skill_name',
  failed,
  async run(session, { skill_name: name }, options) {
    const loaded = await undefinedIfNotFound(session.load(name, { ...options, by: 'model' }))
    if (!loaded) return failed(`Skill '${name}' not found`)
    const content = formatContent(loaded.skill)
    const empty = loaded.skill.diagnostics.find(({ code }) => code === 'empty-body')
    return {
      text: content === '' && empty ? empty.message : content,
      isError: false,
      data: { success: true, data: { content }, ...(empty ? { message: empty.message } : {}) },
    }
  },
})

const fileRead = defineTool({
  name: 'file_read',
  description: 'Reads a file of a skill.',
  input: z.object({
    file: requiredText('Full path of the file, or relative to the skill requested last'),
  }),
  failed,
  async run(session, { file }, options) {
    const content = await readFile(session, file, { ...options, by: 'model' })
    return { text: content, isError: false, data: { success: true, data: { content } } }
  },
})

/**
 * The ManusX dialect: a list of skills in the system prompt, and the tools `skill_request` and `file_read`.
 *
 * From ManusX to skillshelf; functions are asynchronous, except those marked sync:
 * - `SkillLoader(skills_dir)` → `openLibrary(directory(dir))`, `manusXOf(session)`
 * - `has_skills()`, `get_descriptions()` → `hasSkills()`, `getDescriptions()` *sync*
 * - `skills[name]`: name, description, body, path, dir, resources → `getSkill(name)`; `undefined` if no skill has the name
 * - `get_skill_content(name)` → `getSkillContent(name)`. An empty body is `''`, not "not found"
 * - the block of the system prompt → `session.prepare(…).system`; `''` without skills
 * - `skill_request(skill_name)` → The same tool. Its result has the `ToolResult` as `data`
 * - `file_read(file)` → The same tool, or `fileRead(file)`, for files of skills. Other files are up to the host
 * @example
 * ```ts
 * const session = createSession(library, { dialect: manusX })
 * const { text } = await callTool(session, 'skill_request', { skill_name: 'pdf' })
 * ```
 */
export const manusX: Dialect = {
  name: 'ManusX',
  placement: 'result',
  catalog: session => boundedListing(session, SECTION),
  skillText: (_, { skill }) => formatContent(skill),
  reminder: reminderToCall('skill_request'),
  ...dialectTools(skillRequest, fileRead),
  opener: 'skill_request',
}

/**
 * Returns ManusX's own skill functions for a session.
 * @param session A session with the `manusX` dialect.
 * @example
 * ```ts
 * const content = await manusXOf(session).getSkillContent('pdf')
 * ```
 */
export function manusXOf(session: Session): ManusXSkills {
  const by: Requester = 'host'
  return {
    hasSkills: () => session.offered.length > 0,
    getDescriptions: () => fullListing(session, NAME_AND_DESCRIPTION),
    async getSkill(name, options = {}) {
      const skill = await undefinedIfNotFound(inspectSkill(session, name, { ...options, by }))
      return skill && toManusXSkill(skill)
    },
    async getSkillContent(name, options = {}) {
      const loaded = await undefinedIfNotFound(session.load(name, { ...options, by }))
      return loaded && formatContent(loaded.skill)
    },
    fileRead: (file, options = {}) => readFile(session, file, { ...options, by }),
  }
}

function toManusXSkill({ name, description, instructions, root, file, files }: Skill): ManusXSkill {
  const resources = FOLDERS.flatMap(folder =>
    files.map(({ path }) => path).filter(path => path.startsWith(folder)),
  )
  return {
    name,
    description,
    body: lineFeeds(instructions),
    path: `${root}/${file}`,
    dir: root,
    resources,
  }
}

function formatContent(skill: Skill): string {
  const { body, dir, resources } = toManusXSkill(skill)
  if (resources.length === 0) return body
  const files = listFiles(resources, plainLine, 'file_read')
    .map(line => `- ${line}\n`)
    .join('')
  return `${body}\n\n## Available Resources\nDirectory: ${plainLine(dir)}\n${files}`
}

async function readFile(
  session: Session,
  file: string,
  options: AbortOptions & { by: Requester },
): Promise<string> {
  const { skill, path } = await locateFile(session, file, options)
  return fileText(await session.read(skill, path, options))
}

/**
 * Finds the skill of a file path: for a full path the skill whose folder contains it, for a relative path the skill requested
 * last. The library checks the rest of the path when it reads the file.
 * @throws SkillshelfError `resource-not-found`, `not-loaded`
 */
async function locateFile(
  session: Session,
  file: string,
  { signal }: AbortOptions,
): Promise<{ skill: SkillId; path: string }> {
  const isFullPath = /^[\\/]|^[a-z][a-z\d+.-]*:/i.test(file)
  if (!isFullPath) {
    const { latest } = session
    if (latest) return { skill: latest.skill.id, path: file }
    throw new SkillshelfError(
      'not-loaded',
      `No skill was requested, so the relative path ${file} cannot be resolved`,
      {
        subject: file,
        hint: 'request a skill first, or pass the full path',
      },
    )
  }
  const withSlashes = `${file.replaceAll('\\', '/')}/`
  const candidates: (SkillSummary & { root?: string })[] = [
    ...session.open.map(({ skill }) => skill),
    // Reading the root of a skill can be a request, so skills whose folder is not in the path are skipped.
    ...session.offered.filter(({ path }) => path === '' || withSlashes.includes(`/${path}/`)),
  ]
  // Innermost first.
  for (const skill of candidates.sort((a, b) => b.path.length - a.path.length)) {
    const path = pathInFolder(
      skill.root ?? (await session.library.get(skill.id, { signal })).root,
      file,
    )
    if (path !== undefined) return { skill: skill.id, path }
  }
  throw new SkillshelfError('resource-not-found', `Resource not found: ${file} is in no skill`, {
    subject: file,
  })
}

/** Backslashes are separators only in folders that contain them. */
function pathInFolder(folder: string, file: string): string | undefined {
  const normalize = (path: string): string =>
    folder.includes('\\') ? path.replaceAll('\\', '/') : path
  const prefix = `${normalize(folder)}/`
  const path = normalize(file)
  return path.startsWith(prefix) ? path.slice(prefix.length) : undefined
}
