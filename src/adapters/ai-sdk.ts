import { jsonSchema, type ToolSet, tool } from 'ai'
import type { ToolResult } from '../session/tools/types.js'
import type { Session } from '../session/types.js'

/**
 * The tools of a session for `generateText` and `streamText` of the AI SDK. They are as the library is now: make them anew for each turn.
 * A tool gives a `ToolResult`; the model reads its text, as an error where it is one.
 */
export function skillTools(session: Session): ToolSet {
  return Object.fromEntries(
    session.tools().map(({ name, description, inputSchema, execute }) => [
      name,
      tool({
        description,
        inputSchema: jsonSchema<unknown>(inputSchema),
        execute: (input, { abortSignal }) => execute(input, abortSignal ? { signal: abortSignal } : {}),
        // 5 gives the result itself, 6 and 7 what it belongs to as well.
        toModelOutput: (given: ToolResult | { output: ToolResult }) => {
          const { text, isError } = 'output' in given ? given.output : given
          return { type: isError ? 'error-text' : 'text', value: text }
        },
      }),
    ]),
  )
}
