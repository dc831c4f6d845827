import type { AbortOptions } from '../../core/abort.js'
import { isSkillshelfError, SkillshelfError } from '../../core/errors.js'
import { taglessLine, visibleJson } from '../../core/sanitize.js'
import { checkOptionNames, ONLY_SIGNAL } from '../../core/text/option-names.js'
import type { ToolResult } from './tool-types.js'
import type { Session } from './types.js'

/**
 * Runs the tool that a model called.
 * @param session The session whose tools were offered.
 * @param name Name of the tool, from the model.
 * @param input Arguments of the call, from the model. They are checked.
 * @returns Text for the model. A wrong tool name, wrong arguments and refused skills return an error result.
 * @throws SkillshelfError `aborted`
 * @example
 * ```ts
 * const { text, isError } = await callTool(session, 'load_skill', { skill: 'pdf' })
 * ```
 */
export async function callTool(
  session: Session,
  name: string,
  input: unknown,
  options: AbortOptions = {},
): Promise<ToolResult> {
  checkOptionNames(options, ONLY_SIGNAL)
  const tools = session.tools()
  const tool = tools.find(one => one.name === name)
  if (tool) return tool.execute(input, options)
  const names = tools.map(one => one.name).join(', ')
  const known =
    names === '' ? 'There are no tools: no skill is offered.' : `The tools are ${names}.`
  const opener = tools.find(one => one.name === session.dialect.opener)
  try {
    const skill = await session.library.get(name, options)
    return {
      text: `${taglessLine(skill.name)} is a skill, not a tool${opener ? `: call ${opener.name} to open it` : ''}. ${known}`,
      isError: true,
    }
  } catch (error) {
    if (isSkillshelfError(error, 'aborted')) throw error
    return { text: `There is no tool ${visibleJson(String(name))}. ${known}`, isError: true }
  }
}

/**
 * Joins the tools of several sessions and of the host. Tools with the same name are refused.
 * @returns All tools, in the given order.
 * @throws SkillshelfError `invalid-input` if two tools have the same name
 * @example
 * ```ts
 * const tools = joinTools(session.tools(), hostTools)
 * ```
 */
export function joinTools<Tool extends { readonly name: string }>(
  ...lists: readonly (readonly Tool[])[]
): Tool[] {
  const tools = lists.flat()
  const names = tools.map(({ name }) => name)
  const duplicates = [...new Set(names.filter((name, index) => names.indexOf(name) !== index))]
  if (duplicates.length === 0) return tools
  throw new SkillshelfError(
    'invalid-input',
    `More than one tool is named ${duplicates.join(', ')}`,
    {
      candidates: duplicates,
      hint: 'use one dialect, or rename one of the tools',
    },
  )
}
