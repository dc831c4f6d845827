import { callTool } from '../session/tools/call.js'
import type { Session } from '../session/types.js'

// Plain shapes of the API: they fit the types of `@anthropic-ai/sdk`.

/** A tool of the Messages API. */
export interface MessagesTool {
  name: string
  description: string
  input_schema: { type: 'object'; [keyword: string]: unknown }
}

/** What a tool gave, for the next message of the user. */
export interface ToolResultBlock {
  type: 'tool_result'
  tool_use_id: string
  content: string
  is_error?: true
}

interface ToolUse {
  type: 'tool_use'
  id: string
  name: string
  input: unknown
}

/** The tools of a session for `messages.create`. They are as the library is now: ask anew for each turn. */
export function skillTools(session: Session): MessagesTool[] {
  return session.tools().map(({ name, description, inputSchema }) => ({
    name,
    description,
    input_schema: { ...inputSchema, type: 'object' },
  }))
}

/**
 * Answers the tool uses of a message's `content`, in their order: blocks for one message of the user after it.
 * `others` are names of the host's own tools: their uses are left to it.
 * @throws SkillshelfError `aborted`
 */
export async function answerToolUses(
  session: Session,
  content: readonly { type: string }[],
  { others = [], ...at }: { signal?: AbortSignal | undefined; others?: readonly string[] | undefined } = {},
): Promise<ToolResultBlock[]> {
  const uses = content.filter((block): block is ToolUse => block.type === 'tool_use')
  const answers: ToolResultBlock[] = []
  for (const { id, name, input } of uses) {
    if (others.includes(name)) continue
    const { text, isError } = await callTool(session, name, input, at)
    answers.push({ type: 'tool_result', tool_use_id: id, content: text, ...(isError ? { is_error: true } : {}) })
  }
  return answers
}
