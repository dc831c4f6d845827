import type { AbortOptions } from '../../core/abort.js'
import { checkOptionNames, type OptionNames } from '../../core/text/option-names.js'
import { callTool } from '../session/call-tool.js'
import type { HostMessage } from '../session/messages.js'
import { strictSchema } from '../session/tool-schema.js'
import type { ToolInputSchema } from '../session/tool-types.js'
import type { Session } from '../session/types.js'
import { prepareCall, type RequestOptions, unlessEmpty } from './request.js'

// These types match those of the `openai` package, which is not needed at run time.

/** A tool of the Chat Completions API. */
export interface ChatTool {
  type: 'function'
  function: { name: string; description: string; parameters: ToolInputSchema; strict?: true }
}

/** A tool of the Responses API. */
export interface ResponseTool {
  type: 'function'
  name: string
  description: string
  parameters: ToolInputSchema
  strict: boolean
}

/** Options of `skillTools` and `responseTools`. */
export interface ToolOptions {
  /** Whether the API keeps each call within its schema, as OpenAI can. A parameter that may be absent is then `null`. @default false */
  strict?: boolean | undefined
}

/** Options of `answerToolCalls`, `answerFunctionCalls` and, for Anthropic, `answerToolUses`. */
export interface AnswerOptions extends AbortOptions {
  /** Names of the host's own tools. Their calls are not answered. @default [] */
  hostTools?: readonly string[] | undefined
}

const TOOLS = { strict: 1 } satisfies OptionNames<ToolOptions>
const ANSWER = { hostTools: 1, signal: 1 } satisfies OptionNames<AnswerOptions>

/**
 * Converts the tools of a session for `chat.completions.create`, of OpenAI or any compatible API.
 * @returns The tools of the current library. Call it again for each turn.
 * @example
 * ```ts
 * const { choices } = await openai.chat.completions.create({ model, messages, tools: skillTools(session) })
 * ```
 */
export function skillTools(session: Session, options: ToolOptions = {}): ChatTool[] {
  checkOptionNames(options, TOOLS)
  const { strict = false } = options
  return session.tools().map(({ name, description, inputSchema }) => ({
    type: 'function',
    function: strict
      ? { name, description, parameters: strictSchema(inputSchema), strict }
      : { name, description, parameters: inputSchema },
  }))
}

/**
 * Converts the tools of a session for `responses.create`.
 * @returns The tools of the current library. Call it again for each turn.
 * @example
 * ```ts
 * const { output } = await openai.responses.create({ model, input, tools: responseTools(session) })
 * ```
 */
export function responseTools(session: Session, options: ToolOptions = {}): ResponseTool[] {
  checkOptionNames(options, TOOLS)
  const { strict = false } = options
  return session.tools().map(({ name, description, inputSchema }) => ({
    type: 'function',
    name,
    description,
    parameters: strict ? strictSchema(inputSchema) : inputSchema,
    strict,
  }))
}

/** The part of a request to `chat.completions.create` that skills are in. */
export interface ChatRequest<Message> {
  messages: (Message | { role: 'system'; content: string })[]
  /** Absent if no skill is offered. */
  tools?: ChatTool[]
}

/** The part of a request to `responses.create` that skills are in. */
export interface ResponseRequest<Item> {
  /** Absent if it is empty. */
  instructions?: string
  input: Item[]
  /** Absent if no skill is offered. */
  tools?: ResponseTool[]
}

/**
 * Prepares a call of `chat.completions.create`, of OpenAI or any compatible API.
 * @param messages The conversation as you keep it, without a system message: it ends with the message of the user, or with tool messages.
 * @param options `system`: your own system prompt. `files`, `url`: where the user works. `signal`, `limit`, `threshold`.
 * @returns What to send. Keep `messages` as they are, and append the reply to them.
 * @throws every error of `session.prepare`
 * @example
 * ```ts
 * messages.push({ role: 'user', content: 'Check this invoice before I pay it' })
 * const request = await prepareRequest(session, messages, { system: 'You are a helpful assistant.' })
 * const { choices } = await openai.chat.completions.create({ model, ...request })
 * ```
 */
export async function prepareRequest<Message extends HostMessage>(
  session: Session,
  messages: readonly Message[],
  options: RequestOptions = {},
): Promise<ChatRequest<Message>> {
  const { system, messages: sent } = await prepareCall(session, messages, options)
  const head = system === '' ? [] : [{ role: 'system' as const, content: system }]
  return { messages: [...head, ...sent], ...unlessEmpty('tools', skillTools(session)) }
}

/**
 * Prepares a call of `responses.create`.
 * @param input The conversation as you keep it: it ends with the message of the user, or with outputs of function calls.
 * @param options As for `prepareRequest`.
 * @returns What to send. Keep `input` as it is, and append the output to it.
 * @throws every error of `session.prepare`
 * @example
 * ```ts
 * input.push({ role: 'user', content: 'Check this invoice before I pay it' })
 * const { output } = await openai.responses.create({ model, ...(await prepareResponse(session, input)) })
 * ```
 */
export async function prepareResponse<Item extends HostMessage>(
  session: Session,
  input: readonly Item[],
  options: RequestOptions = {},
): Promise<ResponseRequest<Item>> {
  const { system, messages } = await prepareCall(session, input, options)
  return {
    ...unlessEmpty('instructions', system),
    input: messages,
    ...unlessEmpty('tools', responseTools(session)),
  }
}

interface FunctionCall {
  name: string
  /** JSON from the model, possibly malformed. Some servers send the object itself. */
  arguments: string | object
}

interface ResponseCall extends FunctionCall {
  type: 'function_call'
  call_id: string
}

/**
 * Runs the tool calls of a Chat Completions message, in order.
 * @param session The session whose tools were offered.
 * @param options `hostTools`: names of your own tools, whose calls are skipped. `signal`.
 * @returns Tool messages to append after `message`.
 * @throws SkillshelfError `aborted`
 * @example
 * ```ts
 * messages.push(message, ...(await answerToolCalls(session, message)))
 * ```
 */
export async function answerToolCalls(
  session: Session,
  message: { tool_calls?: readonly object[] | null | undefined },
  options: AnswerOptions = {},
): Promise<{ role: 'tool'; tool_call_id: string; content: string }[]> {
  const toolCalls = (message.tool_calls ?? []) as readonly { id: string; function?: FunctionCall }[]
  const calls = toolCalls.flatMap(({ id, function: call }) => (call ? [{ ...call, id }] : []))
  return answerEach(calls, options, async ({ id, name, arguments: json }) => ({
    role: 'tool',
    tool_call_id: id,
    content: await callWithJson(session, name, json, options),
  }))
}

/**
 * Runs the function calls of a response, in order.
 * @param session The session whose tools were offered.
 * @param output The `output` of the response.
 * @param options `hostTools`: names of your own tools, whose calls are skipped. `signal`.
 * @returns Items to append after `output`.
 * @throws SkillshelfError `aborted`
 * @example
 * ```ts
 * input.push(...response.output, ...(await answerFunctionCalls(session, response.output)))
 * ```
 */
export async function answerFunctionCalls(
  session: Session,
  output: readonly { type: string }[],
  options: AnswerOptions = {},
): Promise<{ type: 'function_call_output'; call_id: string; output: string }[]> {
  const calls = output.filter((item): item is ResponseCall => item.type === 'function_call')
  return answerEach(calls, options, async ({ call_id, name, arguments: json }) => ({
    type: 'function_call_output',
    call_id,
    output: await callWithJson(session, name, json, options),
  }))
}

/** Answers calls in order, except those of the host's own tools. */
export async function answerEach<Call extends { name: string }, Answer>(
  calls: readonly Call[],
  options: AnswerOptions,
  answer: (call: Call) => Promise<Answer>,
): Promise<Answer[]> {
  checkOptionNames(options, ANSWER)
  const { hostTools = [] } = options
  const answers: Answer[] = []
  for (const call of calls) {
    if (!hostTools.includes(call.name)) answers.push(await answer(call))
  }
  return answers
}

async function callWithJson(
  session: Session,
  name: string,
  json: string | object,
  { signal }: AbortOptions,
): Promise<string> {
  let input: unknown
  try {
    // Some models send an empty string for a call without arguments.
    input = typeof json === 'string' ? JSON.parse(json.trim() || '{}') : json
  } catch (error) {
    return `${name} was not run: its arguments are not valid JSON. ${String(error)}`
  }
  return (await callTool(session, name, input, { signal })).text
}
