import * as z from 'zod/mini'
import { SkillshelfError } from '../../core/errors.js'
import { BLANK, isNotBlank } from '../../core/input-errors.js'
import { escapeAttribute, escapeText, plainLine } from '../../core/sanitize.js'
import { reasonForModel } from '../../search/match/reason.js'
import { SEARCH_LIMIT } from '../../search/match/score.js'
import type { MatchQuery } from '../../search/match/skill-match.js'
import { fullDescription } from '../../skill/full-description.js'
import type { Skill, SkillFile } from '../../skill/skill.js'
import { searchOffered } from './matches.js'
import { type Catalog, closedNote, createCatalog, promptNames, skillElement } from './prompt.js'
import { CLOSING_TAG, LISTED_FILES, openingTag, resourceLines } from './skill-content.js'
import { defineTool, dialectTools, requiredText } from './tool.js'
import type { ToolResult } from './tool-types.js'
import type { Dialect, Session } from './types.js'

/** Characters of a file or of instructions in one result. */
const MAX_TEXT = 40_000
const MAX_QUERY = 4_000
/** Files of the user. */
const MAX_PLACES = 200
const MAX_HEADINGS = 40

const skill = requiredText('The name or id of the skill')
const failed = (message: string): ToolResult => ({
  text: `<error>${escapeText(message)}</error>`,
  isError: true,
})

interface SearchInput extends Pick<MatchQuery, 'files' | 'url'> {
  query: string
  limit?: number | undefined
}

const query = z
  .string()
  .check(
    z.minLength(1),
    z.maxLength(MAX_QUERY),
    z.refine(isNotBlank, BLANK),
    z.describe('What is needed, in the language of the user'),
  )
const limit = z.optional(
  z.int().check(z.gte(1), z.lte(20), z.describe('Maximum skills, 1 to 20. Default 5')),
)
const place = {
  files: z.optional(
    z
      .array(z.string())
      .check(
        z.maxLength(MAX_PLACES),
        z.describe('Files that the user works on, relative to the project'),
      ),
  ),
  url: z.optional(z.url().check(z.describe('Page that the user works on'))),
}

const searchTool = (input: z.ZodMiniType<SearchInput>) =>
  defineTool({
    name: 'search_skills',
    description: 'Finds the skills nearest to a need, best first.',
    input,
    output: z.object({
      complete: z
        .boolean()
        .check(z.describe('false: found by words alone. The same search can find more later')),
      skills: z.array(
        z.object({
          name: z.string().check(z.describe('Pass it to load_skill')),
          description: z.string(),
          score: z.number().check(z.describe('0 to 1')),
          reason: z.string(),
        }),
      ),
    }),
    failed,
    async run(session, { query: message, limit = SEARCH_LIMIT, ...place }, options) {
      const { found, complete } = await searchOffered(
        session,
        { message, ...place },
        limit,
        options,
      )
      const name = promptNames(session.library.snapshot.skills)
      const lines = found.flatMap(({ skill, match }) =>
        skillElement(name(skill), fullDescription(skill), match.score),
      )
      return {
        text:
          lines.length === 0 ? 'No skill matches.' : ['<skills>', ...lines, '</skills>'].join('\n'),
        isError: false,
        data: {
          complete,
          skills: found.map(({ skill, match }) => ({
            name: plainLine(name(skill)),
            description: plainLine(fullDescription(skill)),
            score: match.score,
            reason: plainLine(reasonForModel(match)),
          })),
        },
      }
    },
  })

const loadSkill = defineTool({
  name: 'load_skill',
  description:
    'Opens a skill: its instructions, and the files beside them. Follow the instructions.',
  input: z.object({ skill }),
  skill: 'skill',
  failed,
  async run(session, input, options) {
    const opened = await session.load(input.skill, { ...options, by: 'model' })
    const { skill, status, required = [], missing = [] } = opened
    if (status === 'already-loaded') {
      return `<skill_open name="${escapeAttribute(skill.name)}">It is already open: its instructions are above.</skill_open>`
    }
    return [
      ...required.map(formatSkill),
      formatSkill(skill),
      ...missing.map(
        name =>
          `<skill_missing name="${escapeAttribute(name)}">${escapeText(skill.name)} requires it, but it could not be opened.</skill_missing>`,
      ),
    ].join('\n')
  },
})

const readSkillFile = defineTool({
  name: 'read_skill_file',
  description: 'Reads a file of a skill, a script too. Nothing is run.',
  input: z.object({
    skill,
    path: requiredText("Relative to the skill's folder, as load_skill lists it"),
    offset: z.optional(z.int().check(z.gte(0), z.describe('First character to give. Default 0'))),
    length: z.optional(
      z.int().check(z.gte(1), z.describe(`Maximum characters. Default and maximum: ${MAX_TEXT}`)),
    ),
  }),
  skill: 'skill',
  file: { argument: 'path' },
  failed,
  async run(session, { skill, path, offset = 0, length = MAX_TEXT }, options) {
    const file = await session.read(skill, path, { ...options, by: 'model' })
    return formatFile(session, file, offset, Math.min(length, MAX_TEXT))
  },
})

const unloadSkill = defineTool({
  name: 'unload_skill',
  description: 'Closes a skill that is no longer needed. Its instructions no longer apply.',
  input: z.object({ skill }),
  skill: 'skill',
  failed,
  async run(session, input) {
    const closed = session.unload(input.skill)
    if (closed) return closedNote(closed.skill)
    const open = session.open.map(({ skill }) => skill.name)
    throw new SkillshelfError('not-loaded', `${input.skill} is not open`, {
      hint: open.length === 0 ? 'no skill is open' : `open skills: ${open.join(', ')}`,
    })
  },
})

const others = [loadSkill, readSkillFile, unloadSkill]
const plainTools = dialectTools(searchTool(z.object({ query, limit })), ...others)
const placedTools = dialectTools(searchTool(z.object({ query, limit, ...place })), ...others)

/** The dialect of skillshelf: XML elements with escaped skill texts. Instructions are the result of `load_skill`. */
export const defaultDialect: Dialect = {
  name: 'skillshelf',
  placement: 'result',
  catalog: session => cachedCatalog(session).text,
  listsAllSkills: session => cachedCatalog(session).listed === session.offered.length,
  skillText: (_, { skill }) => formatSkill(skill),
  reminder: skill =>
    `<skill_open name="${escapeAttribute(skill.name)}">Its instructions were left out of this conversation: load_skill restores them.</skill_open>`,
  toolNames: plainTools.toolNames,
  opener: 'load_skill',
  givesRequired: true,
  // Models of a library without paths need not read of files.
  tools: session =>
    (session.offered.some(({ paths }) => paths) ? placedTools : plainTools).tools(session),
}

/** The last catalog of each session. Fitting it into its token budget counts the same texts many times. */
const catalogs = new WeakMap<Session, { key: string; catalog: Catalog }>()

function cachedCatalog(session: Session): Catalog {
  const { library, offered, catalogTokens, countTokens } = session
  const prefer = session.preferred
  const key = [library.snapshot.revision, offered.length, ...prefer].join('\n')
  const cached = catalogs.get(session)
  if (cached?.key === key) return cached.catalog
  const allSkills = library.snapshot.skills
  const catalog = createCatalog(offered, {
    maxTokens: catalogTokens,
    countTokens,
    prefer,
    allSkills,
  })
  catalogs.set(session, { key, catalog })
  return catalog
}

function formatSkill(skill: Skill): string {
  const { instructions, text, files } = skill
  return [
    openingTag(skill),
    escapeText(
      excerpt(instructions, {
        offset: 0,
        length: MAX_TEXT,
        path: skill.file,
        shift: Math.max(0, text.indexOf(instructions)),
      }),
    ),
    ...resourceLines(files, LISTED_FILES, ': read_skill_file with the path of a folder lists it'),
    CLOSING_TAG,
  ].join('\n')
}

function formatFile({ library }: Session, file: SkillFile, offset: number, length: number): string {
  const name = library.snapshot.skills.find(({ id }) => id === file.skill)?.name ?? file.skill
  const tag = `<skill_file skill="${escapeAttribute(name)}" path="${escapeAttribute(file.path)}" location="${escapeAttribute(file.location)}"`
  if (file.text === undefined) {
    return `${tag} media_type="${file.mediaType}" bytes="${file.bytes.length}">not text</skill_file>`
  }
  return `${tag}>\n${escapeText(excerpt(file.text, { offset, length, path: file.path }))}\n</skill_file>`
}

/** Where an excerpt is cut. Offsets and lengths are in UTF-16 units. */
interface ExcerptOptions {
  offset: number
  length: number
  /** Path of the file, for the note on how to read the rest. */
  path: string
  /** Offset of the text in its file. Offsets in the note are those of the file. @default 0 */
  shift?: number
}

/**
 * Cuts an excerpt out of a text. A cut text ends with a note on how to read the rest, and with the headings of the rest.
 * Surrogate pairs are never split.
 */
export function excerpt(text: string, { offset, length, path, shift = 0 }: ExcerptOptions): string {
  if (offset > 0 && offset >= text.length) {
    return `[${path} has ${text.length} characters: give a smaller offset]`
  }
  const start = splitsPair(text, offset) ? offset - 1 : offset
  const cut = start + length
  const end = !splitsPair(text, cut) ? cut : cut - 1 > start ? cut - 1 : cut + 1
  const remaining = text.length - end
  const content = text.slice(start, end)
  if (remaining <= 0) return content
  const headings = headingsAfter(text, end, shift)
  return [
    content,
    `[${remaining} more characters: read_skill_file with path ${JSON.stringify(path)} and offset ${end + shift}]`,
    ...(headings.length === 0 ? [] : ['[Headings in the rest, with their offsets]', ...headings]),
  ].join('\n')
}

/** Whether a cut at this offset would split a surrogate pair. */
function splitsPair(text: string, offset: number): boolean {
  return (
    /[\ud800-\udbff]/.test(text[offset - 1] ?? '') && /[\udc00-\udfff]/.test(text[offset] ?? '')
  )
}

/** Lists the Markdown headings from an offset on, each with its offset plus `shift`. Skips fenced code. */
function headingsAfter(text: string, from: number, shift: number): string[] {
  const headings: string[] = []
  let fence: string | undefined
  let offset = 0
  for (const line of text.split('\n')) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (mark && (fence === undefined || mark.startsWith(fence))) {
      fence = fence === undefined ? mark : undefined
    } else if (fence === undefined && offset >= from && /^ {0,3}#{1,6}\s+\S/.test(line)) {
      headings.push(`${offset + shift} ${line.trim()}`)
    }
    offset += line.length + 1
  }
  if (headings.length <= MAX_HEADINGS) return headings
  return [...headings.slice(0, MAX_HEADINGS), `… and ${headings.length - MAX_HEADINGS} more`]
}
