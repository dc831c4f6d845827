import { callTool } from '../session/tools/call.js'
import type { Session } from '../session/types.js'

// Plain shapes of the API: they fit the types of the `openai` package, and those of whoever speaks as it does.

/** A tool of the Chat Completions API. */
export interface ChatTool {
  type: 'function'
  function: { name: string; description: string; parameters: Record<string, unknown> }
}

/** A tool of the Responses API. */
export interface ResponseTool {
  type: 'function'
  name: string
  description: string
  parameters: Record<string, unknown>
  strict: false
}

export interface AnswerOptions {
  signal?: AbortSignal | undefined
  /** Names of the host's own tools: their calls are left to it. */
  hostTools?: readonly string[] | undefined
}

/** The tools of a session for `chat.completions.create`. They are as the library is now: ask anew for each turn. */
export function skillTools(session: Session): ChatTool[] {
  return session.tools().map(({ name, description, inputSchema }) => ({
    type: 'function',
    function: { name, description, parameters: inputSchema },
  }))
}

/** The tools of a session for `responses.create`. They are as the library is now: ask anew for each turn. */
export function responseTools(session: Session): ResponseTool[] {
  return session.tools().map(({ name, description, inputSchema }) => ({
    type: 'function',
    name,
    description,
    parameters: inputSchema,
    // The strict way knows no input that may be left out.
    strict: false,
  }))
}

interface Asked {
  name: string
  /** JSON, if the model does well. */
  arguments: string
}

/** Answers the tool calls of a message, in their order: messages to append after it. @throws SkillshelfError `aborted` */
export async function answerToolCalls(
  session: Session,
  message: { tool_calls?: readonly object[] | null | undefined },
  options: AnswerOptions = {},
): Promise<{ role: 'tool'; tool_call_id: string; content: string }[]> {
  const calls = (message.tool_calls ?? []) as readonly { id: string; function?: Asked }[]
  const asked = calls.flatMap(({ id, function: one }) => (one ? [{ ...one, id }] : []))
  const answers = await answer(session, asked, options)
  return answers.map(([id, content]) => ({ role: 'tool', tool_call_id: id, content }))
}

/** Answers the function calls of a response's `output`, in their order: items to append after it. @throws SkillshelfError `aborted` */
export async function answerFunctionCalls(
  session: Session,
  output: readonly { type: string }[],
  options: AnswerOptions = {},
): Promise<{ type: 'function_call_output'; call_id: string; output: string }[]> {
  const calls = output.filter(({ type }) => type === 'function_call') as ({ type: string; call_id: string } & Asked)[]
  const asked = calls.map(one => ({ ...one, id: one.call_id }))
  const answers = await answer(session, asked, options)
  return answers.map(([id, text]) => ({ type: 'function_call_output', call_id: id, output: text }))
}

async function answer(
  session: Session,
  calls: readonly (Asked & { id: string })[],
  { hostTools: others = [], ...at }: AnswerOptions,
): Promise<[id: string, text: string][]> {
  const answers: [string, string][] = []
  for (const { id, name, arguments: json } of calls) {
    if (others.includes(name)) continue
    answers.push([id, await callWithJson(session, name, json, at)])
  }
  return answers
}

async function callWithJson(session: Session, name: string, json: string, at: { signal?: AbortSignal | undefined }) {
  let input: unknown
  try {
    // Some models say nothing where nothing is needed.
    input = JSON.parse(json.trim() || '{}')
  } catch (error) {
    return `${name} was not run: its arguments are no JSON. ${String(error)}`
  }
  return (await callTool(session, name, input, at)).text
}
