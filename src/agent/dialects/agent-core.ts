import * as z from 'zod/mini'
import type { AbortOptions } from '../../core/abort.js'
import { isSkillshelfError } from '../../core/errors.js'
import { basename } from '../../core/paths.js'
import { plainLine } from '../../core/sanitize.js'
import type { Skill, SkillSummary } from '../../skill/skill.js'
import { defineTool, type SkillTool, type ToolResult } from '../session/tool.js'
import type { Dialect, Session } from '../session/types.js'
import { boundedListing, fullListing, type ListingFormat } from './listing.js'
import { findSkill, inspectOffered } from './lookup.js'

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

const line: ListingFormat['line'] = ({ name, description }) => `- ${name}: ${description}`

/**
 * The agent-core dialect: one tool, `skill`, whose description lists the skills. Switch the environment with `library.use()`.
 *
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
  skillText: (_, { skill }) => skill.instructions,
  reminder: skill => `The skill ${plainLine(skill.name)} was left out of this conversation: call skill to restore it.`,
  toolNames: ['skill'],
  tools: session => [skillTool(session)],
  excludes: ({ inferred }) => inferred !== undefined,
}

/**
 * Returns agent-core's own skill functions for a session.
 *
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
    getSkillsInfoForToolDescription: () => fullListing(session, { line }),
  }
}

function folderName({ path, origin }: SkillSummary): string {
  return basename(path) || origin
}

function folderIds({ library }: Session): (skill: SkillSummary) => string {
  const uses = new Map<string, number>()
  for (const skill of library.snapshot.skills) uses.set(folderName(skill), (uses.get(folderName(skill)) ?? 0) + 1)
  return skill => (uses.get(folderName(skill)) === 1 ? folderName(skill) : skill.id)
}

function findByFolderOrName(session: Session, id: string): SkillSummary | undefined {
  return findSkill(session, id, [folderName, ({ name }) => name])
}

const input = z.object({ skill: z.string().check(z.minLength(1), z.describe('The skill ID to execute')) })

const failed = (error: string): ToolResult => ({
  text: error,
  isError: true,
  data: { success: false, output: '', error },
})

function skillTool(session: Session): SkillTool {
  return defineTool({
    name: 'skill',
    description: () => boundedListing(session, { head: 'Execute a skill. Available skills:', line }),
    input,
    failed,
    async run({ skill: id }, options) {
      const found = findByFolderOrName(session, id)
      if (!found) {
        const ids = session.offered.map(folderIds(session)).map(plainLine)
        return failed(`Skill not found: ${id}. Available skills: ${ids.join(', ')}`)
      }
      try {
        const { skill } = await session.load(found.id, { ...options, by: 'model' })
        return { text: skill.instructions, isError: false, data: { success: true, output: skill.instructions } }
      } catch (error) {
        if (!isSkillshelfError(error, 'source-failed', 'format')) throw error
        return failed(`Failed to read skill content: ${error.message}`)
      }
    },
  })
}
