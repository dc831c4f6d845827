import { ToolMessage } from '@langchain/core/messages'
import { type DynamicStructuredTool, tool } from '@langchain/core/tools'
import { isRecord } from '../../core/plain-data.js'
import { readToolInput } from '../session/tool-input.js'
import type { ToolInputSchema } from '../session/tool-types.js'
import type { Session } from '../session/types.js'

/**
 * Converts the tools of a session for LangChain: `model.bindTools` and agents. Failed calls return a `ToolMessage` with status
 * `error`. The `artifact` of a message is the `ToolResult`. LangChain checks the input before the tool runs, and throws
 * `ToolInputParsingException` if it does not match the schema.
 * @returns The tools of the current library. Call it again for each turn.
 * @example
 * ```ts
 * import { skillTools } from 'skillshelf/adapters/langchain'
 *
 * const reply = await model.bindTools(skillTools(session)).invoke(messages)
 * ```
 */
export function skillTools(session: Session): DynamicStructuredTool[] {
  return session.tools().map(({ name, description, inputSchema, execute }) => {
    const created = tool(
      async (input: unknown, { signal, toolCall }) => {
        const result = await execute(input, { signal })
        const { text, isError } = result
        const id = toolCall?.id
        if (!isError || id === undefined) return [text, result]
        return [
          new ToolMessage({
            content: text,
            name,
            tool_call_id: id,
            status: 'error',
            artifact: result,
          }),
          result,
        ]
      },
      {
        name,
        description,
        schema: inputSchema,
        responseFormat: 'content_and_artifact',
        verboseParsingErrors: true,
      },
    )
    return readingInput(created, inputSchema)
  })
}

/** Reads the input as the tools of other adapters do, before LangChain checks it. */
function readingInput(
  created: DynamicStructuredTool,
  schema: ToolInputSchema,
): DynamicStructuredTool {
  const call = created.call.bind(created)
  created.call = (input, ...options) => {
    const isCall = isRecord(input) && input['type'] === 'tool_call'
    const read = isCall
      ? { ...input, args: readToolInput(schema, input['args']) }
      : readToolInput(schema, input)
    return call(read as typeof input, ...options)
  }
  return created
}
