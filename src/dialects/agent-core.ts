import * as z from 'zod/mini'
import { isSkillshelfError } from '../core/errors.js'
import { basename } from '../core/paths.js'
import { plainLine } from '../core/sanitize.js'
import type { AbortOptions } from '../library/types.js'
import { defineTool } from '../session/tools/tool.js'
import type { SkillTool, ToolResult } from '../session/tools/types.js'
import type { Dialect, Session } from '../session/types.js'
import type { Skill, SkillSummary } from '../skill/types.js'
import { boundedListing, type ListingForm, listing } from './listing.js'
import { findSkill, inspectOffered } from './lookup.js'

/** agent-core's SkillInfo. */
export interface AgentCoreSkillInfo {
  /** The name of its folder; the whole id where two folders have one name. */
  id: string
  name: string
  description: string
  /** Of the skill.md: absolute where the source has such paths. */
  path: string
}

/** What agent-core's Environment knows of skills. */
export interface AgentCoreSkills {
  listSkills(options?: AbortOptions): Promise<AgentCoreSkillInfo[]>
  /** By id; by name where no folder is called so. */
  getSkill(id: string, options?: AbortOptions): Promise<AgentCoreSkillInfo | undefined>
  /** `- name: description` lines, however many skills there are. */
  getSkillsInfoForToolDescription(): string
}

const line: ListingForm['line'] = ({ name, description }) => `- ${name}: ${description}`

/** agent-core: one tool, whose description lists the skills. Switch with `library.use(environment)`. */
export const agentCore: Dialect = {
  name: 'agent-core',
  placement: 'result',
  catalog: () => '',
  skillText: (_, { skill }) => skill.instructions,
  reminder: skill => `The skill ${plainLine(skill.name)} was left out of this conversation: skill brings it back.`,
  toolNames: ['skill'],
  tools: session => [skillTool(session)],
  excludes: ({ inferred }) => inferred !== undefined,
}

export function agentCoreOf(session: Session): AgentCoreSkills {
  const infoOf = (skill: Skill): AgentCoreSkillInfo => {
    const { name, description, root, file } = skill
    return { id: idOf(session)(skill), name, description, path: `${root}/${file}` }
  }
  return {
    listSkills: async (at = {}) => (await inspectOffered(session, at)).map(infoOf),
    async getSkill(id, at = {}) {
      const found = find(session, id)
      return found && infoOf(await session.library.get(found.id, at))
    },
    getSkillsInfoForToolDescription: () => listing(session, { line }),
  }
}

function folderOf({ path, origin }: SkillSummary): string {
  return basename(path) || origin
}

function idOf({ library }: Session): (skill: SkillSummary) => string {
  const folders = new Map<string, number>()
  for (const skill of library.snapshot.skills) folders.set(folderOf(skill), (folders.get(folderOf(skill)) ?? 0) + 1)
  return skill => (folders.get(folderOf(skill)) === 1 ? folderOf(skill) : skill.id)
}

function find(session: Session, id: string): SkillSummary | undefined {
  return findSkill(session, id, [folderOf, ({ name }) => name])
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
    async run({ skill: id }, at) {
      const found = find(session, id)
      if (!found) {
        const ids = session.offered.map(idOf(session)).map(plainLine)
        return failed(`Skill not found: ${id}. Available skills: ${ids.join(', ')}`)
      }
      try {
        const { skill } = await session.load(found.id, { ...at, by: 'model' })
        return { text: skill.instructions, isError: false, data: { success: true, output: skill.instructions } }
      } catch (error) {
        if (!isSkillshelfError(error, 'source-failed', 'format')) throw error
        return failed(`Failed to read skill content: ${error.message}`)
      }
    },
  })
}
