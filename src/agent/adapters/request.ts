import { checkOptionNames, type OptionNames } from '../../core/text/option-names.js'
import type { HostMessage } from '../session/messages.js'
import type { PrepareOptions, PrepareTurn, Session } from '../session/types.js'

/** Options of `prepareRequest` of every adapter. */
export interface RequestOptions
  extends Omit<PrepareOptions, 'tools' | 'maxTokens'>,
    Pick<PrepareTurn, 'files' | 'url'> {
  /** Your own system prompt. It comes before that of the session. @default none */
  system?: string | undefined
}

const REQUEST = {
  system: 1,
  files: 1,
  url: 1,
  limit: 1,
  threshold: 1,
  signal: 1,
} satisfies OptionNames<RequestOptions>

/** @throws SkillshelfError `invalid-input` */
export function checkRequestOptions(options: RequestOptions): void {
  checkOptionNames(options, REQUEST)
}

/** The system prompt and the messages of one call of a model. */
export async function prepareCall<Message extends HostMessage>(
  session: Session,
  stored: readonly Message[],
  requestOptions: RequestOptions,
): Promise<{ system: string; messages: Message[] }> {
  checkRequestOptions(requestOptions)
  const { system: own = '', files, url, ...options } = requestOptions
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
