import {
  type BaseMessage,
  type BaseMessageLike,
  coerceMessageLikeToMessage,
  mapStoredMessagesToChatMessages,
  type StoredMessage,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages'
import { type DynamicStructuredTool, tool } from '@langchain/core/tools'
import { isRecord } from '../../core/plain-data.js'
import { readToolInput } from '../session/tool-input.js'
import type { ToolInputSchema } from '../session/tool-types.js'
import type { Session } from '../session/types.js'
import { prepareCall, type RequestOptions } from './request.js'

/** The messages and tools of one call of a model. */
export interface ModelRequest {
  messages: BaseMessage[]
  /** An empty list if no skill is offered. */
  tools: DynamicStructuredTool[]
}

/**
 * Prepares a call of a chat model.
 * @param messages The conversation as you keep it or store it, without a system message: it ends with the message of the user, or with tool messages.
 * @param options `system`: your own system prompt. `files`, `url`: where the user works. `signal`, `limit`, `threshold`.
 * @returns What to send. Keep `messages` as they are, and append the reply to them.
 * @throws every error of `session.prepare`
 * @example
 * ```ts
 * messages.push(['user', 'Check this invoice before I pay it'])
 * const request = await prepareRequest(session, messages, { system: 'You are a helpful assistant.' })
 * const reply = await model.bindTools(request.tools).invoke(request.messages)
 * ```
 */
export async function prepareRequest(
  session: Session,
  messages: readonly (BaseMessageLike | StoredMessage)[],
  options: RequestOptions = {},
): Promise<ModelRequest> {
  const stored = messages.flatMap(message =>
    isStored(message)
      ? mapStoredMessagesToChatMessages([message])
      : [coerceMessageLikeToMessage(message)],
  )
  const { system, messages: sent } = await prepareCall(session, stored, options)
  const head = system === '' ? [] : [new SystemMessage(system)]
  return { messages: [...head, ...sent], tools: skillTools(session) }
}

/** Whether a message is as `mapChatMessagesToStoredMessages` wrote it. */
function isStored(message: BaseMessageLike | StoredMessage): message is StoredMessage {
  const given: unknown = message
  return isRecord(given) && isRecord(given['data']) && typeof given['type'] === 'string'
}

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
