/** What a tool gives: text for the model. Errors are data, so that no caller loses their message. */
export interface ToolResult {
  text: string
  isError: boolean
  /** The same as data, where a dialect's document has it so: `{ success: true, data: { content } }`. */
  data?: Readonly<Record<string, unknown>>
}

/** A tool, tied to no agent kit. */
export interface SkillTool {
  name: string
  /** Read at each turn: it may follow the library. */
  readonly description: string
  /** JSON Schema of the input: an object. */
  inputSchema: Readonly<Record<string, unknown>>
  /** Never throws but for an abort: what the model did wrong comes back as a correction. */
  execute(input: unknown, options?: { signal?: AbortSignal | undefined }): Promise<ToolResult>
}
