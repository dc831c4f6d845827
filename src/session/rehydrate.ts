import type { OpenSkill, Rehydrated, Session } from './types.js'

/** Says again what fell out of a conversation: where there is too little room, one line on how to get it. */
export function rehydrated(session: Session, missing: readonly OpenSkill[], room: number): Rehydrated {
  const { dialect, countTokens } = session
  // The ledger has them counted, though they are gone.
  let left = room + missing.reduce((sum, { tokens }) => sum + tokens, 0)
  const said = new Map<OpenSkill, string>()
  // What was opened last is needed most.
  for (const open of [...missing].reverse()) {
    const text = dialect.opened(session, open)
    const tokens = countTokens(text)
    said.set(open, tokens <= left ? text : dialect.reminder(open.skill))
    if (tokens <= left) left -= tokens
  }
  return {
    missing: missing.map(({ skill }) => skill.id),
    text: missing.map(open => said.get(open) as string).join('\n'),
  }
}
