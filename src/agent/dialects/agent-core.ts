import * as z from 'zod/mini'
import type { AbortOptions } from '../../core/abort.js'
import { isSkillshelfError } from '../../core/errors.js'
import { taglessLine } from '../../core/sanitize.js'
import type { Skill, SkillSummary } from '../../skill/skill.js'
import { uniqueNames } from '../session/prompt.js'
import { defineTool, dialectTools, requiredText } from '../session/tool.js'
import { isToolDescription } from '../session/tool-schema.js'
import type { ToolResult } from '../session/tool-types.js'
import type { Dialect, Session } from '../session/types.js'
import { fitListing, fullListing, NAME_AND_DESCRIPTION, reminderToCall } from './listing.js'
import { findSkill, folderName, inspectOffered } from './lookup.js'

/** `SkillInfo` of agent-core. */
export interface AgentCoreSkillInfo {
  /** Name of the folder, or the full id if two folders have the same name. */
  id: string
  name: string
  description: string
  /** Path of the SKILL.md. Absolute if the source has absolute paths. */
  path: string
}

/** The skill functions of agent-core's `Environment`. */
export interface AgentCoreSkills {
  /** Returns all skills. Skills that cannot be read are left out. */
  listSkills(options?: AbortOptions): Promise<AgentCoreSkillInfo[]>
  /** Finds a skill by id, else by name. `undefined` if no skill matches. */
  getSkill(id: string, options?: AbortOptions): Promise<AgentCoreSkillInfo | undefined>
  /** Returns a `- name: description` line for each skill, without a size limit. */
  getSkillsInfoForToolDescription(): string
}

const failed = (error: string): ToolResult => ({
  text: error,
  isError: true,
  data: { success: false, output: '', error },
})

const listSkills = (session: Session) =>
  fitListing(
    session,
    { head: 'Execute a skill. Available skills:', ...NAME_AND_DESCRIPTION },
    isToolDescription,
  )

const skillTool = defineTool({
  name: 'skill',
  description: session => listSkills(session).text,
  input: z.object({ skill: requiredText('The skill ID to execute') }),
  skill: 'skill',
  failed,
  async run(session, { skill: id }, options) {
    const notFound = (): ToolResult => {
      const ids = session.offered.map(folderIds(session)).map(taglessLine)
      return failed(`Skill not found: ${id}. Available skills: ${ids.join(', ')}`)
    }
    const found = findByFolderOrName(session, id)
    if (!found) return notFound()
    try {
      const { skill } = await session.load(found.id, { ...options, by: 'model' })
      return {
        text: skill.instructions,
        isError: false,
        data: { success: true, output: skill.instructions },
      }
    } catch (error) {
      // It was removed since it was listed.
      if (isSkillshelfError(error, 'skill-not-found')) return notFound()
      if (!isSkillshelfError(error, 'source-failed', 'format')) throw error
      return failed(`Failed to read skill content: ${error.message}`)
    }
  },
})

/**
 * The agent-core dialect: one tool, `skill`, whose description lists the skills. Switch the environment with `library.use()`.
 *
 * From agent-core to skillshelf; functions are asynchronous, except those marked sync:
 * - `environments/{env}/skills/{id}/skill.md` → `openLibrary(directory(root), { environment: env })`
 * - `switchEnvironment(env)` → `library.use(env)`. An environment without skills is reported as `environment-unknown` in
 *   `library.snapshot.diagnostics`
 * - `env.listSkills()`, `env.getSkill(id)` → `listSkills()`, `getSkill(id)`: `{ id, name, description, path }`
 * - `getSkillsInfoForToolDescription()` → The same, *sync*
 * - `createSkillToolWithDescription(skills)` → `session.tools()`. The description follows the library. Without skills there is no
 *   tool
 * - `baseSkillTool`, `skill(skill)` → The same tool. Its result has `{ success, output, error }` as `data`
 * - frontmatter missing: not listed → The same. The folder name still opens the skill
 * @example
 * ```ts
 * const session = createSession(library, { dialect: agentCore })
 * const { text } = await callTool(session, 'skill', { skill: 'pdf' })
 * ```
 */
export const agentCore: Dialect = {
  name: 'agent-core',
  placement: 'result',
  catalog: () => '',
  listsAllSkills: session => listSkills(session).listed === session.offered.length,
  skillText: (_, { skill }) => skill.instructions,
  reminder: reminderToCall('skill'),
  ...dialectTools(skillTool),
  opener: 'skill',
  excludes: ({ inferred }) => inferred !== undefined,
}

/**
 * Returns agent-core's own skill functions for a session.
 * @param session A session with the `agentCore` dialect.
 * @example
 * ```ts
 * const skills = await agentCoreOf(session).listSkills()
 * ```
 */
export function agentCoreOf(session: Session): AgentCoreSkills {
  const infoOf = (skill: Skill): AgentCoreSkillInfo => {
    const { name, description, root, file } = skill
    return { id: folderIds(session)(skill), name, description, path: `${root}/${file}` }
  }
  return {
    listSkills: async (options = {}) => (await inspectOffered(session, options)).map(infoOf),
    async getSkill(id, options = {}) {
      const found = findByFolderOrName(session, id)
      return found && infoOf(await session.library.get(found.id, options))
    },
    getSkillsInfoForToolDescription: () => fullListing(session, NAME_AND_DESCRIPTION),
  }
}

function folderIds({ library }: Session): (skill: SkillSummary) => string {
  return uniqueNames(library.snapshot.skills, folderName)
}

function findByFolderOrName(session: Session, id: string): SkillSummary | undefined {
  return findSkill(session, id, [folderName, ({ name }) => name])
}
