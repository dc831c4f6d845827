import * as z from 'zod/mini'
import { SkillshelfError } from '../../core/errors.js'
import { BLANK, isNotBlank } from '../../core/input-errors.js'
import { escapeAttribute, escapeLine, escapeText, plainLine } from '../../core/sanitize.js'
import { reasonForModel } from '../../search/match/reason.js'
import type { Skill, SkillFile } from '../../skill/skill.js'
import { excerpt } from './excerpt.js'
import { searchOffered } from './matches.js'
import { type Catalog, closedNote, createCatalog, promptNames } from './prompt.js'
import { CLOSING_TAG, openingTag } from './skill-content.js'
import { defineTool, type SkillTool, type ToolDefinition } from './tool.js'
import type { Dialect, Session } from './types.js'

/** Characters of a file or of instructions in one result. */
const MAX_TEXT = 40_000
const MAX_QUERY = 4_000
const MAX_FILES = 200

const describe = (description: string) => z.describe(description)
const skillName = z.string().check(z.minLength(1), describe('The name or id of the skill'))

const searchInput = z.object({
  query: z
    .string()
    .check(
      z.minLength(1),
      z.maxLength(MAX_QUERY),
      z.refine(isNotBlank, BLANK),
      describe('What is needed, in any language'),
    ),
  limit: z.optional(z.int().check(z.gte(1), z.lte(20), describe('Maximum skills. Default 5'))),
})
const searchOutput = z.object({
  skills: z.array(
    z.object({
      name: z.string().check(describe('Pass it to load_skill')),
      description: z.string(),
      score: z.number().check(describe('0 to 1')),
      reason: z.string(),
    }),
  ),
})
const skillInput = z.object({ skill: skillName })
const readInput = z.object({
  skill: skillName,
  path: z.string().check(z.minLength(1), describe("Relative to the skill's folder, as load_skill lists it")),
  offset: z.optional(z.int().check(z.gte(0), describe('First character to give. Default 0'))),
  length: z.optional(z.int().check(z.gte(1), describe(`Maximum characters. Default and maximum: ${MAX_TEXT}`))),
})

/** The dialect of skillshelf: XML elements with escaped skill texts. Instructions are the result of `load_skill`. */
export const defaultDialect: Dialect = {
  name: 'skillshelf',
  placement: 'result',
  toolNames: ['search_skills', 'load_skill', 'read_skill_file', 'unload_skill'],
  catalog: session => cachedCatalog(session).text,
  listsAllSkills: session => cachedCatalog(session).listed === session.offered.length,
  skillText: (_, { skill }) => formatSkill(skill),
  reminder: skill =>
    `<skill_open name="${escapeAttribute(skill.name)}">Its instructions were left out of this conversation: load_skill restores them.</skill_open>`,
  tools: session => [searchSkills(session), loadSkill(session), readSkillFile(session), unloadSkill(session)],
}

/** The last catalog of each session. Fitting it into its token budget counts the same texts many times. */
const catalogs = new WeakMap<Session, { key: string; catalog: Catalog }>()

function cachedCatalog(session: Session): Catalog {
  const { library, offered, catalogTokens, countTokens } = session
  const prefer = session.open.map(({ skill }) => skill.id)
  const key = [library.snapshot.revision, ...prefer].join('\n')
  const cached = catalogs.get(session)
  if (cached?.key === key) return cached.catalog
  const allSkills = library.snapshot.skills
  const catalog = createCatalog(offered, { maxTokens: catalogTokens, countTokens, prefer, allSkills })
  catalogs.set(session, { key, catalog })
  return catalog
}

function defineXmlTool<Schema extends z.ZodMiniType>(definition: ToolDefinition<Schema>): SkillTool {
  return defineTool({
    ...definition,
    failed: message => ({ text: `<error>${escapeText(message)}</error>`, isError: true }),
  })
}

function searchSkills(session: Session): SkillTool {
  return defineXmlTool({
    name: 'search_skills',
    description: 'Finds the skills nearest to a need, best first.',
    input: searchInput,
    output: searchOutput,
    async run({ query, limit = 5 }, options) {
      const matches = await searchOffered(session, query, limit, options)
      const name = promptNames(session.library.snapshot.skills)
      const { offered } = session
      const skills = matches.flatMap(match => {
        const { id, score } = match
        const skill = offered.find(one => one.id === id)
        return skill
          ? [{ name: name(skill), description: skill.description, score, reason: reasonForModel(match) }]
          : []
      })
      const lines = skills.flatMap(({ name, description, score }) => [
        '<skill>',
        `<name>${escapeLine(name)}</name>`,
        `<description>${escapeLine(description)}</description>`,
        `<score>${score.toFixed(2)}</score>`,
        '</skill>',
      ])
      return {
        text: lines.length === 0 ? 'No skill matches.' : ['<skills>', ...lines, '</skills>'].join('\n'),
        isError: false,
        data: {
          skills: skills.map(({ name, description, score, reason }) => ({
            name: plainLine(name),
            description: plainLine(description),
            score,
            reason: plainLine(reason),
          })),
        },
      }
    },
  })
}

function loadSkill(session: Session): SkillTool {
  return defineXmlTool({
    name: 'load_skill',
    description: 'Opens a skill: its instructions, and the files beside them. Follow the instructions.',
    input: skillInput,
    async run({ skill: name }, options) {
      const { skill, status } = await session.load(name, { ...options, by: 'model' })
      return status === 'already-loaded'
        ? `<skill_open name="${escapeAttribute(skill.name)}">It is already open: its instructions are above.</skill_open>`
        : formatSkill(skill)
    },
  })
}

function readSkillFile(session: Session): SkillTool {
  return defineXmlTool({
    name: 'read_skill_file',
    description: 'Reads a file of a skill, a script too. Nothing is run.',
    input: readInput,
    async run({ skill, path, offset = 0, length = MAX_TEXT }, options) {
      const file = await session.read(skill, path, { ...options, by: 'model' })
      return formatFile(session, file, offset, Math.min(length, MAX_TEXT))
    },
  })
}

function unloadSkill(session: Session): SkillTool {
  return defineXmlTool({
    name: 'unload_skill',
    description: 'Closes a skill that is no longer needed. Its instructions no longer apply.',
    input: skillInput,
    async run({ skill: name }) {
      const closed = session.unload(name)
      if (closed) return closedNote(closed.skill)
      const open = session.open.map(({ skill }) => skill.name)
      throw new SkillshelfError('not-loaded', `${name} is not open`, {
        hint: open.length === 0 ? 'no skill is open' : `open skills: ${open.join(', ')}`,
      })
    },
  })
}

function formatSkill(skill: Skill): string {
  const { instructions, text, files } = skill
  const listed = files.slice(0, MAX_FILES)
  return [
    openingTag(skill),
    escapeText(excerpt(instructions, 0, MAX_TEXT, skill.file, Math.max(0, text.indexOf(instructions)))),
    ...(files.length === 0
      ? []
      : [
          '<skill_resources>',
          ...listed.map(({ path }) => `<file>${escapeLine(path)}</file>`),
          ...(listed.length < files.length ? [`<more>${files.length - listed.length} more files</more>`] : []),
          '</skill_resources>',
        ]),
    CLOSING_TAG,
  ].join('\n')
}

function formatFile({ library }: Session, file: SkillFile, offset: number, length: number): string {
  const name = library.snapshot.skills.find(({ id }) => id === file.skill)?.name ?? file.skill
  const tag = `<skill_file skill="${escapeAttribute(name)}" path="${escapeAttribute(file.path)}" location="${escapeAttribute(file.location)}"`
  if (file.text === undefined)
    return `${tag} media_type="${file.mediaType}" bytes="${file.bytes.length}">not text</skill_file>`
  return `${tag}>\n${escapeText(excerpt(file.text, offset, length, file.path))}\n</skill_file>`
}
