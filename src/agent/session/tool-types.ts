import type { AbortOptions } from '../../core/abort.js'

/** Result of a tool call. Failures are results too, so the model can correct its call. */
export interface ToolResult {
  /** Text for the model. */
  text: string
  isError: boolean
  /** The result as an object: that of `search_skills`, and of dialects that define one, such as `{ success: true, data: { content } }`. */
  data?: Readonly<Record<string, unknown>>
}

/** Types of JSON that a parameter can have. */
export type ToolParameterType = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object'

/** JSON Schema of a parameter of a tool: the keywords that every provider accepts. */
export type ToolParameter = {
  /** With `null` in a strict tool of OpenAI only, for a parameter that may be absent. */
  type: ToolParameterType | [ToolParameterType, 'null']
  description?: string
  enum?: (string | number)[]
  items?: ToolParameter
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
