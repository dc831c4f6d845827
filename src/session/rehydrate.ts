import type { SkillId } from '../skill/types.js'
import type { OpenSkill, RehydrateResult, Session } from './types.js'

/** Says again what fell out of a conversation: where there is too little room, one line on how to get it. `given`: what is said whole. */
export function restoreInstructions(
  session: Session,
  missing: readonly OpenSkill[],
  room: number,
): { said: RehydrateResult; given: readonly SkillId[] } {
  const { dialect, countTokens } = session
  // The ledger has them counted, though they are gone.
  let left = room + missing.reduce((sum, { tokens }) => sum + tokens, 0)
  const texts = new Map<OpenSkill, string>()
  const given: SkillId[] = []
  // What was opened last is needed most.
  for (const open of [...missing].reverse()) {
    const text = dialect.skillText(session, open)
    const tokens = countTokens(text)
    texts.set(open, tokens <= left ? text : dialect.reminder(open.skill))
    if (tokens > left) continue
    left -= tokens
    given.push(open.skill.id)
  }
  const ids = missing.map(({ skill }) => skill.id)
  return { said: { missing: ids, text: missing.map(open => texts.get(open) as string).join('\n') }, given }
}
