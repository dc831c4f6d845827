import { jsonSchema, type ToolSet, tool } from 'ai'
import type { Session, ToolResult } from '../session/types.js'

/**
 * Converts the tools of a session to a `ToolSet` for `generateText` and `streamText` of the AI SDK. Errors are sent to the
 * model as `error-text`.
 *
 * @param session The session.
 * @returns The tools of the current library. Call it again for each turn.
 * @example
 * ```ts
 * import { generateText } from 'ai'
 * import { skillTools } from 'skillshelf/adapters/ai-sdk'
 *
 * const { text } = await generateText({ model, system, messages, tools: skillTools(session) })
 * ```
 */
export function skillTools(session: Session): ToolSet {
  return Object.fromEntries(
    session.tools().map(({ name, description, inputSchema, execute }) => [
      name,
      tool({
        description,
        inputSchema: jsonSchema<unknown>(inputSchema),
        execute: (input, { abortSignal }) => execute(input, { signal: abortSignal }),
        // AI SDK 5 passes the result, versions 6 and 7 pass an object with `output`.
        toModelOutput: (result: ToolResult | { output: ToolResult }) => {
          const { text, isError } = 'output' in result ? result.output : result
          return { type: isError ? 'error-text' : 'text', value: text }
        },
      }),
    ]),
  )
}
