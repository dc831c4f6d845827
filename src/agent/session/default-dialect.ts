import * as z from 'zod/mini'
import { SkillshelfError } from '../../core/errors.js'
import { BLANK, isNotBlank } from '../../core/input-errors.js'
import { escapeAttribute, escapeText, plainLine } from '../../core/sanitize.js'
import { reasonForModel } from '../../search/match/reason.js'
import { SEARCH_LIMIT } from '../../search/match/score.js'
import type { MatchQuery } from '../../search/match/skill-match.js'
import { fullDescription } from '../../skill/full-description.js'
import type { Skill, SkillFile } from '../../skill/skill.js'
import { excerpt } from './excerpt.js'
import { searchOffered } from './matches.js'
import { type Catalog, closedNote, createCatalog, promptNames, skillElement } from './prompt.js'
import { findSection, outline, type Section, sectionsOf } from './sections.js'
import { CLOSING_TAG, LISTED_FILES, openingTag, resourceLines } from './skill-content.js'
import { defineTool, dialectTools, requiredText } from './tool.js'
import type { ToolResult } from './tool-types.js'
import type { Dialect, Session } from './types.js'

/** Characters of a file or of instructions in one result. */
const MAX_TEXT = 40_000
const MAX_QUERY = 4_000
/** Files of the user. */
const MAX_PLACES = 200
/** Tokens of instructions that are opened whole. The specification recommends no more. */
const WHOLE_TOKENS = 5_000
/** Opens long instructions whole. */
const ALL = 'all'

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

const loadTool = (input: z.ZodMiniType<{ skill: string; section?: string | undefined }>) =>
  defineTool({
    name: 'load_skill',
    description:
      'Opens a skill: its instructions, and the files beside them. Follow the instructions.',
    input,
    skill: 'skill',
    failed,
    async run(session, { skill: name, section }, options) {
      const opened = await session.load(name, { ...options, by: 'model' })
      const { skill, status, required = [], missing = [] } = opened
      if (section !== undefined) return formatSection(session, skill, section)
      if (status === 'already-loaded') {
        return `<skill_open name="${escapeAttribute(skill.name)}">It is already open: its instructions are above.</skill_open>`
      }
      return [
        ...required.map(one => formatSkill(session, one)),
        formatSkill(session, skill),
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

const section = z.optional(
  z
    .string()
    .check(z.describe(`Of long instructions: a heading of their outline, or "${ALL}" for all`)),
)

const plainSearch = searchTool(z.object({ query, limit }))
const placedSearch = searchTool(z.object({ query, limit, ...place }))
const loadWhole = loadTool(z.object({ skill }))
const loadSections = loadTool(z.object({ skill, section }))
const { toolNames } = dialectTools(plainSearch, loadWhole, readSkillFile, unloadSkill)

/** The dialect of skillshelf: XML elements with escaped skill texts. Instructions are the result of `load_skill`. */
export const defaultDialect: Dialect = {
  name: 'skillshelf',
  placement: 'result',
  catalog: session => cachedCatalog(session).text,
  listsAllSkills: session => cachedCatalog(session).listed === session.offered.length,
  skillText: (session, { skill }) => formatSkill(session, skill),
  reminder: skill =>
    `<skill_open name="${escapeAttribute(skill.name)}">Its instructions were left out of this conversation: load_skill restores them.</skill_open>`,
  toolNames,
  opener: 'load_skill',
  givesRequired: true,
  // Models of a library without paths or long instructions need not read of files and sections.
  tools(session) {
    const { offered, sections } = session
    const hasLong = sections && offered.some(({ tokens }) => tokens.instructions > WHOLE_TOKENS)
    const search = offered.some(({ paths }) => paths) ? placedSearch : plainSearch
    const load = hasLong ? loadSections : loadWhole
    return dialectTools(search, load, readSkillFile, unloadSkill).tools(session)
  },
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

function formatSkill(session: Session, skill: Skill): string {
  const { instructions, files } = skill
  const isLong = session.sections && skill.tokens.instructions > WHOLE_TOKENS
  const [first, ...others] = isLong ? divide(session, instructions) : []
  return [
    openingTag(skill),
    formatPart(skill, first),
    ...(others.length > 0 ? [formatOutline(session, skill, others)] : []),
    ...resourceLines(files, LISTED_FILES, ': read_skill_file with the path of a folder lists it'),
    CLOSING_TAG,
  ].join('\n')
}

/** A section of the instructions, or all of them. What is too long for one result is cut. */
function formatPart({ instructions, text, file }: Skill, section?: Section): string {
  const { start, end } = section ?? { start: 0, end: instructions.length }
  const shift = Math.max(0, text.indexOf(instructions)) + start
  const part = instructions.slice(start, end)
  return escapeText(excerpt(part, { offset: 0, length: MAX_TEXT, path: file, shift }))
}

function divide({ countTokens }: Session, instructions: string): Section[] {
  return sectionsOf(instructions, section => countTokens(section) <= WHOLE_TOKENS)
}

function formatOutline(
  { countTokens }: Session,
  { instructions }: Skill,
  sections: readonly Section[],
): string {
  const lines = outline(instructions, sections, countTokens).map(escapeText)
  return [
    `<more_sections how="load_skill with section: a heading, or ${ALL}. Read those that the task needs">`,
    ...lines,
    '</more_sections>',
  ].join('\n')
}

/** @throws SkillshelfError `resource-not-found` */
function formatSection(session: Session, skill: Skill, name: string): string {
  const sections = divide(session, skill.instructions)
  const section = findSection(sections, name)
  if (!section && name.trim().toLowerCase() !== ALL) {
    const headings = sections.map(({ heading }) => heading)
    throw new SkillshelfError('resource-not-found', `${skill.name} has no section ${name}`, {
      subject: name,
      candidates: headings,
      hint: `the sections are: ${headings.join(', ') || ALL}`,
    })
  }
  const tag = section
    ? `<skill_section skill="${escapeAttribute(skill.name)}">`
    : `<skill_section skill="${escapeAttribute(skill.name)}" all="true">`
  return [tag, formatPart(skill, section), '</skill_section>'].join('\n')
}

function formatFile({ library }: Session, file: SkillFile, offset: number, length: number): string {
  const name = library.snapshot.skills.find(({ id }) => id === file.skill)?.name ?? file.skill
  const tag = `<skill_file skill="${escapeAttribute(name)}" path="${escapeAttribute(file.path)}" location="${escapeAttribute(file.location)}"`
  if (file.text === undefined) {
    return `${tag} media_type="${file.mediaType}" bytes="${file.bytes.length}">not text</skill_file>`
  }
  return `${tag}>\n${escapeText(excerpt(file.text, { offset, length, path: file.path }))}\n</skill_file>`
}
