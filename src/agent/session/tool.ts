import * as z from 'zod/mini'
import type { AbortOptions } from '../../core/abort.js'
import { isSkillshelfError, SkillshelfError } from '../../core/errors.js'
import { inputError, issueLines } from '../../core/input-errors.js'
import { plainLine, visibleJson } from '../../core/sanitize.js'
import type { SkillTool, ToolInputSchema, ToolResult } from './tool-types.js'
import type { Dialect, Session } from './types.js'

interface ToolDefinition<Schema extends z.ZodMiniType> {
  name: string
  /** A function if it depends on the library. */
  description: string | ((session: Session) => string)
  input: Schema
  /** Schema of the `data` of every result. */
  output?: z.ZodMiniType
  run: (session: Session, input: z.output<Schema>, options: AbortOptions) => Promise<ToolResult | string>
  /**
   * Formats an error for the model.
   * @default the message, as text
   */
  failed?: (message: string) => ToolResult
}

/** A tool of a dialect, without a session. */
export interface DialectTool {
  name: string
  bind(session: Session): SkillTool
}

/** Defines a tool that checks its input by a schema, and returns errors as results. */
export function defineTool<Schema extends z.ZodMiniType>({
  name,
  description,
  input: schema,
  output,
  run,
  failed = message => ({ text: message, isError: true }),
}: ToolDefinition<Schema>): DialectTool {
  const bind = (session: Session): SkillTool => {
    const { properties = {}, required = [] } = jsonSchema(schema) as Partial<ToolInputSchema>
    return {
      name,
      get description() {
        return typeof description === 'string' ? description : description(session)
      },
      inputSchema: { type: 'object', properties, required, additionalProperties: false },
      ...(output ? { outputSchema: jsonSchema(output) } : {}),
      async execute(input, options = {}) {
        const parsed = schema.safeParse(input, { error: inputError })
        if (!parsed.success) return failed(`${name} was not run. ${issueLines(parsed.error, 'the input').join('; ')}`)
        try {
          const result = await run(session, parsed.data, options)
          return typeof result === 'string' ? { text: result, isError: false } : result
        } catch (error) {
          if (!isSkillshelfError(error) || error.code === 'aborted') throw error
          return failed(error.message)
        }
      },
    }
  }
  return { name, bind }
}

/** The tools of a dialect. */
export function dialectTools(...tools: readonly DialectTool[]): Pick<Dialect, 'tools' | 'toolNames'> {
  return { toolNames: tools.map(({ name }) => name), tools: session => tools.map(tool => tool.bind(session)) }
}

/** The schema of a text that is not empty. */
export function requiredText(description: string) {
  return z.string().check(z.minLength(1), z.describe(description))
}

function jsonSchema(schema: z.ZodMiniType): Record<string, unknown> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema) as Record<string, unknown>
  return rest
}

/**
 * Runs the tool that a model called.
 *
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
  const tools = session.tools()
  const tool = tools.find(one => one.name === name)
  if (tool) return tool.execute(input, options)
  const names = tools.map(one => one.name).join(', ')
  const opener = tools.find(one => /^(?:load_skill|load_l2|skill_request|skill)$/.test(one.name))
  try {
    const skill = await session.library.get(name, options)
    return {
      text: `${plainLine(skill.name)} is a skill, not a tool${opener ? `: call ${opener.name} to open it` : ''}. The tools are ${names}.`,
      isError: true,
    }
  } catch (error) {
    if (isSkillshelfError(error, 'aborted')) throw error
    return { text: `There is no tool ${visibleJson(name)}. The tools are ${names}.`, isError: true }
  }
}

/**
 * Joins the tools of several sessions and of the host. Tools with the same name are refused.
 *
 * @param lists Lists of tools.
 * @returns All tools, in the given order.
 * @throws SkillshelfError `invalid-input` if two tools have the same name
 * @example
 * ```ts
 * const tools = joinTools(session.tools(), hostTools)
 * ```
 */
export function joinTools<Tool extends { readonly name: string }>(...lists: readonly (readonly Tool[])[]): Tool[] {
  const tools = lists.flat()
  const names = tools.map(({ name }) => name)
  const duplicates = [...new Set(names.filter((name, index) => names.indexOf(name) !== index))]
  if (duplicates.length === 0) return tools
  throw new SkillshelfError('invalid-input', `More than one tool is named ${duplicates.join(', ')}`, {
    candidates: duplicates,
    hint: 'use one dialect, or rename one of the tools',
  })
}
