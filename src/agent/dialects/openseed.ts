import * as z from 'zod/mini'
import type { AbortOptions } from '../../core/abort.js'
import { SkillshelfError } from '../../core/errors.js'
import { BLANK, isNotBlank } from '../../core/input-errors.js'
import { joinPath, listPaths, safePath } from '../../core/paths.js'
import { visibleJson } from '../../core/sanitize.js'
import { SEARCH_LIMIT } from '../../search/match/score.js'
import type { SkillSummary } from '../../skill/skill.js'
import { searchOffered } from '../session/matches.js'
import type { Requester } from '../session/open-skills.js'
import { defineTool, dialectTools, requiredText } from '../session/tool.js'
import type { Dialect, Session } from '../session/types.js'
import { listedName, reminderToCall } from './listing.js'
import { fileText, findSkill, folderName, inspectSkill, locationOf } from './lookup.js'

/** The functions of openseed's `SkillsManager`. Where openseed returns the text of an error, these functions throw it. */
export interface OpenseedSkills {
  /** `list_skills`: names of all skills. */
  listSkills(): string[]
  /**
   * `get_skill_content`: opens the skill in the session and returns the full SKILL.md.
   * @throws SkillshelfError `skill-not-found` with the message `未找到技能: x`; `too-large`, `not-allowed`
   */
  getSkillContent(name: string, options?: AbortOptions): Promise<string>
  /** `search_skills`: the best `n` skills, best first. Default 5. */
  searchSkills(
    query: string,
    n?: number,
    options?: AbortOptions,
  ): Promise<{ name: string; description: string }[]>
  /** `get_skill_asset`: text of a file. @throws SkillshelfError `invalid-path`, `resource-not-found`, `unsupported`, `not-allowed` */
  getSkillAsset(skillName: string, relativePath: string, options?: AbortOptions): Promise<string>
  /** `get_skill_script_path`: absolute if the source has such paths. @throws SkillshelfError `invalid-path`, `resource-not-found` */
  getSkillScriptPath(skillName: string, scriptName: string, options?: AbortOptions): Promise<string>
  /** `list_skill_assets`: paths of the files in references/, assets/ and scripts/, sorted. */
  listSkillAssets(skillName: string, options?: AbortOptions): Promise<string[]>
}

const ASSETS = /^(?:references|assets|scripts)\/./

const skill_name = requiredText('Name of the skill')
const TOOLS = [
  defineTool({
    name: 'load_skill',
    description: 'Gives the whole SKILL.md of a skill, to be followed.',
    input: z.object({ skill_name }),
    skill: 'skill_name',
    run: (session, input, options) => forModel(session).getSkillContent(input.skill_name, options),
  }),
  defineTool({
    name: 'search_skills',
    description: 'Finds skills for a need, best first: a list of name and description.',
    input: z.object({
      query: z
        .string()
        .check(z.minLength(1), z.refine(isNotBlank, BLANK), z.describe('What is needed')),
      n: z.optional(
        z
          .int()
          .check(
            z.gte(1),
            z.lte(50),
            z.describe(`Maximum skills, 1 to 50. Default ${SEARCH_LIMIT}`),
          ),
      ),
    }),
    run: async (session, { query, n }, options) =>
      visibleJson(await forModel(session).searchSkills(query, n, options)),
  }),
  defineTool({
    name: 'load_skill_asset',
    description: 'Gives the text of a file of a skill: a reference, a template, a script.',
    input: z.object({
      skill_name,
      relative_path: requiredText('A path in references/, assets/ or scripts/'),
    }),
    skill: 'skill_name',
    file: { argument: 'relative_path' },
    run: (session, input, options) =>
      forModel(session).getSkillAsset(input.skill_name, input.relative_path, options),
  }),
  defineTool({
    name: 'get_skill_script_path',
    description: 'Gives the path of a script of a skill, for a tool that can run it.',
    input: z.object({ skill_name, script_name: requiredText('Name of a file in scripts/') }),
    skill: 'skill_name',
    file: { argument: 'script_name', folder: 'scripts' },
    run: (session, input, options) =>
      forModel(session).getSkillScriptPath(input.skill_name, input.script_name, options),
  }),
  defineTool({
    name: 'list_skill_assets',
    description: 'Lists the references, assets and scripts of a skill.',
    input: z.object({ skill_name }),
    skill: 'skill_name',
    run: async (session, input, options) =>
      visibleJson(await forModel(session).listSkillAssets(input.skill_name, options)),
  }),
]

/**
 * The openseed dialect: tools to search skills, load a full SKILL.md, and get the paths of scripts. The system prompt stays
 * empty.
 *
 * From openseed to skillshelf; functions are asynchronous, except those marked sync:
 * - `SkillsManager()`, `DOCUMENT_ROOT/skills` → `openLibrary(directory(root))`, `openseedOf(session)`
 * - `list_skills()` → `listSkills()` *sync*
 * - `get_skill_content(name)` → `getSkillContent(name)`. Throws `未找到技能: x` instead of returning that text
 * - `search_skills(query, n=5)` → `searchSkills(query, 5)`. Searches the whole SKILL.md, not only name and description
 * - `get_skill_asset(skill, path)` → `getSkillAsset(skill, path)`
 * - `get_skill_script_path(skill, script)` → `getSkillScriptPath(skill, script)`
 * - `list_skill_assets(skill)` → `listSkillAssets(skill)`
 * - `@tool_manager.register`, `tools_list` → `session.tools()`: the same five tools with the same parameters
 * - name or description missing: not listed, opened by the folder name → The same. `openLibrary(…, { strict: true })` leaves the
 *   skill out
 * @example
 * ```ts
 * const session = createSession(library, { dialect: openseed })
 * const { text } = await callTool(session, 'search_skills', { query: 'tables in a PDF' })
 * ```
 */
export const openseed: Dialect = {
  name: 'openseed',
  placement: 'result',
  catalog: () => '',
  skillText: (_, { skill }) => skill.text,
  reminder: reminderToCall('load_skill'),
  ...dialectTools(...TOOLS),
  opener: 'load_skill',
  // Its `load_skill` answers 未找到技能 without a root.
  keepsTools: true,
  excludes: ({ inferred }) => inferred !== undefined,
}

/**
 * Returns openseed's own skill functions for a session.
 * @param session A session with the `openseed` dialect.
 * @example
 * ```ts
 * const path = await openseedOf(session).getSkillScriptPath('pdf', 'extract.py')
 * ```
 */
export function openseedOf(session: Session): OpenseedSkills {
  return createActions(session, 'host')
}

const forModel = (session: Session): OpenseedSkills => createActions(session, 'model')

function createActions(session: Session, by: Requester): OpenseedSkills {
  return {
    listSkills: () => session.offered.map(listedName(session)),
    async getSkillContent(name, options = {}) {
      const { skill } = await session.load(findByNameOrFolder(session, name).id, { ...options, by })
      return skill.text
    },
    async searchSkills(query, n = SEARCH_LIMIT, options = {}) {
      const { found } = await searchOffered(session, query, n, options)
      const name = listedName(session)
      return found.map(({ skill }) => ({ name: name(skill), description: skill.description }))
    },
    async getSkillAsset(skillName, relativePath, options = {}) {
      const path = safePath(relativePath)
      if (!ASSETS.test(path)) {
        throw new SkillshelfError(
          'invalid-path',
          `Invalid path ${JSON.stringify(path)}: it is not an asset`,
          {
            subject: relativePath,
            hint: 'pass a path in references/, assets/ or scripts/',
          },
        )
      }
      return fileText(
        await session.read(findByNameOrFolder(session, skillName).id, path, { ...options, by }),
      )
    },
    async getSkillScriptPath(skillName, scriptName, options = {}) {
      const path = joinPath('scripts', safePath(scriptName))
      const skill = await inspectSkill(session, findByNameOrFolder(session, skillName).id, {
        ...options,
        by,
      })
      const { name, files } = skill
      const isFile = files.some(file => file.path === path)
      const location = isFile ? await locationOf(session, skill, path, options) : undefined
      if (location !== undefined) return location
      const candidates = files.map(file => file.path).filter(one => one.startsWith('scripts/'))
      throw new SkillshelfError(
        'resource-not-found',
        `Resource not found: ${name} has no ${path}`,
        {
          subject: scriptName,
          candidates,
          hint:
            candidates.length > 0
              ? `it has ${listPaths(candidates.slice(0, 5), candidates.length)}`
              : 'it has no scripts',
        },
      )
    },
    async listSkillAssets(skillName, options = {}) {
      const { files } = await inspectSkill(session, findByNameOrFolder(session, skillName).id, {
        ...options,
        by,
      })
      return files.map(({ path }) => path).filter(path => ASSETS.test(path))
    },
  }
}

/** Finds a skill by name, else by folder. Skills that are not listed can only be loaded by folder. */
function findByNameOrFolder(session: Session, name: string): SkillSummary {
  const skill = findSkill(session, name, [one => one.name, folderName])
  if (skill) return skill
  throw new SkillshelfError('skill-not-found', `未找到技能: ${name}`, { subject: name })
}
