import * as z from 'zod/mini'
import { SkillshelfError } from '../../core/errors.js'
import { escapeAttribute, escapeLine, escapeText } from '../../core/sanitize.js'
import type { Skill, SkillFile } from '../../skill/types.js'
import { offeredMatches } from '../offered-matches.js'
import { type Catalog, catalogOf } from '../prompt/catalog-section.js'
import { promptNames } from '../prompt/listing.js'
import { CLOSING_TAG, openingTag } from '../prompt/skill-content.js'
import type { Dialect, Session } from '../types.js'
import { headingsAfter } from './excerpt.js'
import { defineTool, type ToolPlan } from './tool.js'
import type { SkillTool } from './types.js'

/** Characters of a file or of instructions in one result. */
const MAX_TEXT = 40_000
const MAX_QUERY = 4_000
const MAX_FILES = 200

const describe = (description: string) => z.describe(description)
const skillName = z.string().check(z.minLength(1), describe('The name or id of the skill'))

const searchInput = z.object({
  query: z.string().check(z.minLength(1), z.maxLength(MAX_QUERY), describe('What is needed, in any language')),
  limit: z.optional(z.int().check(z.gte(1), z.lte(20), describe('Skills at most. Default 5'))),
})
const skillInput = z.object({ skill: skillName })
const readInput = z.object({
  skill: skillName,
  path: z.string().check(z.minLength(1), describe("Relative to the skill's folder, as load_skill lists it")),
  offset: z.optional(z.int().check(z.gte(0), describe('First character to give. Default 0'))),
  length: z.optional(z.int().check(z.gte(1), describe(`Characters at most. Default, and most: ${MAX_TEXT}`))),
})

/** Our own words: XML that no text of a skill can get out of. Instructions come as the result of `load_skill`. */
export const defaultDialect: Dialect = {
  name: 'skillshelf',
  placement: 'result',
  toolNames: ['search_skills', 'load_skill', 'read_skill_file', 'unload_skill'],
  catalog: session => catalogFor(session).text,
  listsAllSkills: session => catalogFor(session).listed === session.offered.length,
  skillText: (_, { skill }) => contentOf(skill),
  reminder: skill =>
    `<skill_open name="${escapeAttribute(skill.name)}">Its instructions were left out of this conversation: load_skill brings them back.</skill_open>`,
  tools: session => [searchSkills(session), loadSkill(session), readSkillFile(session), unloadSkill(session)],
}

/** The catalog of a session as it was last: finding what fits counts the same text many times. */
const catalogs = new WeakMap<Session, { of: string; catalog: Catalog }>()

function catalogFor(session: Session): Catalog {
  const { library, offered, catalogTokens, countTokens } = session
  const prefer = session.open.map(({ skill }) => skill.id)
  const of = [library.snapshot.revision, ...prefer].join('\n')
  const held = catalogs.get(session)
  if (held?.of === of) return held.catalog
  const catalog = catalogOf(offered, {
    maxTokens: catalogTokens,
    countTokens,
    prefer,
    allSkills: library.snapshot.skills,
  })
  catalogs.set(session, { of, catalog })
  return catalog
}

function ownTool<Schema extends z.ZodMiniType>(plan: ToolPlan<Schema>): SkillTool {
  return defineTool({
    ...plan,
    failed: message => ({ text: `<error>${escapeText(message)}</error>`, isError: true }),
  })
}

function searchSkills(session: Session): SkillTool {
  return ownTool({
    name: 'search_skills',
    description: 'Finds the skills that are nearest to a need, best first.',
    input: searchInput,
    async run(input, at) {
      const { library, offered } = session
      const matches = await offeredMatches(session, input.limit ?? 5, limit =>
        library.search(input.query, { ...at, limit }),
      )
      const name = promptNames(library.snapshot.skills)
      const lines = matches.flatMap(match => {
        const skill = offered.find(({ id }) => id === match.id)
        if (!skill) return []
        return [
          '<skill>',
          `<name>${escapeLine(name(skill))}</name>`,
          `<description>${escapeLine(skill.description)}</description>`,
          `<score>${match.score.toFixed(2)}</score>`,
          '</skill>',
        ]
      })
      return lines.length === 0 ? 'No skill is near to this.' : ['<skills>', ...lines, '</skills>'].join('\n')
    },
  })
}

function loadSkill(session: Session): SkillTool {
  return ownTool({
    name: 'load_skill',
    description: 'Opens a skill: its instructions, and the files beside them. Follow the instructions.',
    input: skillInput,
    async run({ skill: name }, at) {
      const { skill, status } = await session.load(name, { ...at, by: 'model' })
      return status === 'again'
        ? `<skill_open name="${escapeAttribute(skill.name)}">It is open already: its instructions stand above.</skill_open>`
        : contentOf(skill)
    },
  })
}

function readSkillFile(session: Session): SkillTool {
  return ownTool({
    name: 'read_skill_file',
    description: 'Reads a file of a skill, a script too. Nothing is run.',
    input: readInput,
    async run({ skill, path, offset = 0, length = MAX_TEXT }, at) {
      const file = await session.read(skill, path, { ...at, by: 'model' })
      return fileOf(session, file, offset, Math.min(length, MAX_TEXT))
    },
  })
}

function unloadSkill(session: Session): SkillTool {
  return ownTool({
    name: 'unload_skill',
    description: 'Closes a skill that is needed no more. Its instructions no longer apply.',
    input: skillInput,
    async run({ skill: name }) {
      const closed = session.unload(name)
      if (closed) return `${escapeLine(closed.skill.name)} is closed: its instructions no longer apply.`
      const open = session.open.map(({ skill }) => skill.name)
      throw new SkillshelfError('not-loaded', `${name} is not open`, {
        hint: open.length === 0 ? 'no skill is' : `open are ${open.join(', ')}`,
      })
    },
  })
}

function contentOf(skill: Skill): string {
  const { instructions, text, files } = skill
  const shown = files.slice(0, MAX_FILES)
  return [
    openingTag(skill),
    escapeText(part(instructions, 0, MAX_TEXT, skill.file, Math.max(0, text.indexOf(instructions)))),
    ...(files.length === 0
      ? []
      : [
          '<skill_resources>',
          ...shown.map(({ path }) => `<file>${escapeLine(path)}</file>`),
          ...(shown.length < files.length ? [`<more>${files.length - shown.length} more files</more>`] : []),
          '</skill_resources>',
        ]),
    CLOSING_TAG,
  ].join('\n')
}

function fileOf({ library }: Session, file: SkillFile, offset: number, length: number): string {
  const name = library.snapshot.skills.find(({ id }) => id === file.skill)?.name ?? file.skill
  const open = `<skill_file skill="${escapeAttribute(name)}" path="${escapeAttribute(file.path)}" location="${escapeAttribute(file.location)}"`
  if (file.text === undefined)
    return `${open} media_type="${file.mediaType}" bytes="${file.bytes.length}">not text</skill_file>`
  return `${open}>\n${escapeText(part(file.text, offset, length, file.path))}\n</skill_file>`
}

/**
 * A piece of a text that is not too long, with where the rest is, and what it is about. Both halves of a character stay together.
 * @param shift Where the text begins in the file at `path`: offsets that are told are those of the file.
 */
function part(text: string, offset: number, length: number, path: string, shift = 0): string {
  if (offset > 0 && offset >= text.length) return `[${path} has ${text.length} characters: give a smaller offset]`
  const start = splits(text, offset) ? offset - 1 : offset
  const cut = start + length
  const end = !splits(text, cut) ? cut : cut - 1 > start ? cut - 1 : cut + 1
  const rest = text.length - end
  const piece = text.slice(start, end)
  if (rest <= 0) return piece
  const outline = headingsAfter(text, end, shift)
  return [
    piece,
    `[${rest} more characters: read_skill_file with path ${JSON.stringify(path)} and offset ${end + shift}]`,
    ...(outline.length === 0 ? [] : ['[Headings in the rest, with their offsets]', ...outline]),
  ].join('\n')
}

/** Whether a cut here would part the two halves of a character. */
function splits(text: string, at: number): boolean {
  return /[\ud800-\udbff]/.test(text[at - 1] ?? '') && /[\udc00-\udfff]/.test(text[at] ?? '')
}
