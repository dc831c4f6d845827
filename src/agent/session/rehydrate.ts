import type { SkillId } from '../../skill/types.js'
import type { OpenSkill, RehydrateResult, Session } from './types.js'

/**
 * Formats instructions that the conversation lost: in full where they fit, else as a one-line reminder.
 * @param room Free tokens of the context.
 * @returns `complete`: ids of the skills whose text is in full.
 */
export function missingInstructions(
  session: Session,
  missing: readonly OpenSkill[],
  room: number,
): { result: RehydrateResult; complete: readonly SkillId[] } {
  const { dialect, countTokens } = session
  // The ledger still counts the missing instructions.
  let left = room + missing.reduce((sum, { tokens }) => sum + tokens, 0)
  const texts = new Map<OpenSkill, string>()
  const complete: SkillId[] = []
  // The skill opened last is the most likely to be in use.
  for (const open of [...missing].reverse()) {
    const text = dialect.skillText(session, open)
    const tokens = countTokens(text)
    texts.set(open, tokens <= left ? text : dialect.reminder(open.skill))
    if (tokens > left) continue
    left -= tokens
    complete.push(open.skill.id)
  }
  const ids = missing.map(({ skill }) => skill.id)
  return { result: { missing: ids, text: missing.map(open => texts.get(open) as string).join('\n') }, complete }
}
