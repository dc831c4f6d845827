import * as z from 'zod/mini'
import type { AbortOptions } from '../../core/abort.js'
import { isSkillshelfError, SkillshelfError } from '../../core/errors.js'
import { inputError, issueLines } from '../../core/input-errors.js'

/** Result of a tool call. Failures are results too, so the model can correct its call. */
export interface ToolResult {
  /** Text for the model. */
  text: string
  isError: boolean
  /** The result as an object: that of `search_skills`, and of dialects that define one, such as `{ success: true, data: { content } }`. */
  data?: Readonly<Record<string, unknown>>
}

/** JSON Schema of a parameter of a tool: the keywords that all agent SDKs accept. */
export type ToolParameter = {
  type: 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object'
  description?: string
  enum?: (string | number)[]
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  items?: ToolParameter
  properties?: Record<string, ToolParameter>
  required?: string[]
}

/** JSON Schema of the input of a tool. It is assignable to the schema types of agent SDKs. */
export type ToolInputSchema = {
  type: 'object'
  properties: Record<string, ToolParameter>
  required: string[]
  additionalProperties: false
}

/** A tool for a model, independent of any SDK. */
export interface SkillTool {
  name: string
  /** Can change with the library: read it for each turn. */
  readonly description: string
  inputSchema: ToolInputSchema
  /** JSON Schema of `data` of a result without `isError`, if the tool always returns it. */
  outputSchema?: Readonly<Record<string, unknown>>
  /**
   * Runs the tool. Wrong input and refused skills return a result with `isError`.
   * @throws SkillshelfError `aborted`; every error that is not a `SkillshelfError`
   */
  execute(input: unknown, options?: AbortOptions): Promise<ToolResult>
}

export interface ToolDefinition<Schema extends z.ZodMiniType> {
  name: string
  /** A function if it depends on the library. */
  description: string | (() => string)
  input: Schema
  /** Schema of the `data` of every result. */
  output?: z.ZodMiniType
  run: (input: z.output<Schema>, options: AbortOptions) => Promise<ToolResult | string>
  /**
   * Formats an error for the model.
   * @default the message, as text
   */
  failed?: (message: string) => ToolResult
}

/** Creates a tool that checks its input by a schema, and returns errors as results. */
export function defineTool<Schema extends z.ZodMiniType>({
  name,
  description,
  input: schema,
  output,
  run,
  failed = message => ({ text: message, isError: true }),
}: ToolDefinition<Schema>): SkillTool {
  const { properties = {}, required = [] } = jsonSchema(schema) as Partial<ToolInputSchema>
  return {
    name,
    get description() {
      return typeof description === 'string' ? description : description()
    },
    inputSchema: { type: 'object', properties, required, additionalProperties: false },
    ...(output ? { outputSchema: jsonSchema(output) } : {}),
    async execute(input, options = {}) {
      const parsed = schema.safeParse(input, { error: inputError })
      if (!parsed.success) {
        return failed(`${name} was not run. ${issueLines(parsed.error, 'the input').join('; ')}`)
      }
      try {
        const result = await run(parsed.data, options)
        return typeof result === 'string' ? { text: result, isError: false } : result
      } catch (error) {
        if (!isSkillshelfError(error) || error.code === 'aborted') throw error
        return failed(error.message)
      }
    },
  }
}

function jsonSchema(schema: z.ZodMiniType): Record<string, unknown> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema) as Record<string, unknown>
  return rest
}

/**
 * Joins the tools of several sessions and of the host. Tools with the same name are refused.
 *
 * @param lists Lists of tools.
 * @returns All tools, in the given order.
 * @throws SkillshelfError `invalid-input` if two tools have the same name
 * @example
 * ```ts
 * const first = createSession(library, { dialect: manusX })
 * const second = createSession(library, { dialect: agentCore })
 * const tools = joinTools(first.tools(), second.tools())
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
