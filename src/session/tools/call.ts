import { isSkillshelfError } from '../../core/errors.js'
import type { Session } from '../types.js'
import type { ToolResult } from './types.js'

/** Runs the tool that a model named. A wrong name, also that of a skill, comes back as a correction. @throws SkillshelfError `aborted` */
export async function callTool(
  session: Session,
  name: string,
  input: unknown,
  options: { signal?: AbortSignal | undefined } = {},
): Promise<ToolResult> {
  const tools = session.tools()
  const tool = tools.find(one => one.name === name)
  if (tool) return tool.execute(input, options)
  const names = tools.map(one => one.name).join(', ')
  const opener = tools.find(({ name: own }) => /^(?:load_skill|skill_request|skill)$/.test(own))
  try {
    const skill = await session.library.get(name, options)
    return {
      text: `${skill.name} is a skill, not a tool${opener ? `: call ${opener.name} to open it` : ''}. The tools are ${names}.`,
      isError: true,
    }
  } catch (error) {
    if (isSkillshelfError(error, 'aborted')) throw error
    return { text: `There is no tool ${JSON.stringify(name)}. The tools are ${names}.`, isError: true }
  }
}
