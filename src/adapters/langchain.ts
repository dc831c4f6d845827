import { ToolMessage } from '@langchain/core/messages'
import { type DynamicStructuredTool, tool } from '@langchain/core/tools'
import type { Session } from '../session/types.js'

/**
 * The tools of a session for LangChain: `model.bindTools`, agents. They are as the library is now: make them anew for each turn. A tool gives
 * its text, errors too, then with the status `error`; the `ToolResult` is the message's `artifact`. LangChain checks the input itself
 * before: what does not fit the schema it throws, as `ToolInputParsingException` with the details.
 */
export function skillTools(session: Session): DynamicStructuredTool[] {
  return session.tools().map(({ name, description, inputSchema, execute }) =>
    tool(
      async (input: unknown, { signal, toolCall }) => {
        const result = await execute(input, signal ? { signal } : {})
        const { text, isError } = result
        const id = toolCall?.id
        if (!isError || id === undefined) return [text, result]
        return [new ToolMessage({ content: text, name, tool_call_id: id, status: 'error', artifact: result }), result]
      },
      { name, description, schema: inputSchema, responseFormat: 'content_and_artifact', verboseParsingErrors: true },
    ),
  )
}
