import type { AbortOptions } from '../../core/abort.js'

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
