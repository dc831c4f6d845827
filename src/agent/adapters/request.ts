import type { HostMessage } from '../session/messages.js'
import type { PrepareOptions, PrepareTurn, Session } from '../session/types.js'

/** Options of `prepareRequest` of every adapter. */
export interface RequestOptions
  extends Omit<PrepareOptions, 'tools' | 'maxTokens'>,
    Pick<PrepareTurn, 'files' | 'url'> {
  /** Your own system prompt. It comes before that of the session. @default none */
  system?: string | undefined
}

/** The system prompt and the messages of one call of a model. */
export async function prepareCall<Message extends HostMessage>(
  session: Session,
  stored: readonly Message[],
  { system: own = '', files, url, ...options }: RequestOptions,
): Promise<{ system: string; messages: Message[] }> {
  const { system, messages } = await session.prepare({ messages: stored, files, url }, options)
  return { system: [own, system].filter(Boolean).join('\n\n'), messages }
}

/** A field of a request that APIs refuse if it is empty. */
export function unlessEmpty<Name extends string, Value extends string | readonly unknown[]>(
  name: Name,
  value: Value,
): { [Key in Name]?: Value } {
  return (value.length === 0 ? {} : { [name]: value }) as { [Key in Name]?: Value }
}
