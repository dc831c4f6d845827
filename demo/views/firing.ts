import type { SkillId, SkillLibrary, SkillSummary } from 'skillshelf'
import { runTriggers } from 'skillshelf/testing'
import type { MessageOrigin, OwnMessage } from '../../src/tools/testing/own-messages.js'
import { THRESHOLD } from '../format.js'

/** What becomes of a message: its skill fires, is first but not sure, or another one or none is first. */
export type Fate = 'fires' | 'unsure' | 'taken' | 'nothing'

export interface MessageFate {
  message: string
  from: MessageOrigin
  fate: Fate
  /** The first skill. */
  got?: { id: SkillId; name: string; score: number }
}

/** A skill with its messages. */
export interface CheckedSkill {
  skill: SkillSummary
  messages: readonly OwnMessage[]
  fates: readonly MessageFate[]
}

export type SkillState = 'never' | 'unsure' | 'fires'

/** Ranks the messages of all skills. @param options.onProgress Called with the number of messages that are done. */
export async function checkSkills(
  library: SkillLibrary,
  messagesOf: ReadonlyMap<SkillId, readonly OwnMessage[]>,
  { signal, onProgress }: { signal: AbortSignal; onProgress(done: number): void },
): Promise<CheckedSkill[]> {
  const checked: CheckedSkill[] = []
  let done = 0
  for (const skill of library.snapshot.skills) {
    const messages = messagesOf.get(skill.id) ?? []
    checked.push({ skill, messages, fates: await fatesOf(library, skill.id, messages, signal) })
    done += messages.length
    onProgress(done)
  }
  return checked
}

/** Ranks the messages of a skill, as `skillshelf test` does. */
export async function fatesOf(
  library: SkillLibrary,
  owner: SkillId,
  messages: readonly OwnMessage[],
  signal: AbortSignal,
): Promise<MessageFate[]> {
  const files = [{ cases: messages, problems: [], owner }]
  const { cases } = await runTriggers(library, files, { threshold: THRESHOLD, signal })
  const origins = new Map(messages.map(({ message, from }) => [message, from]))
  return cases.map(({ message, got, rank, above }) => ({
    message,
    from: origins.get(message) ?? 'test',
    fate: rank === 1 ? (above ? 'fires' : 'unsure') : got ? 'taken' : 'nothing',
    ...(got ? { got } : {}),
  }))
}

export function countFates(fates: readonly MessageFate[], fate: Fate): number {
  return fates.filter(one => one.fate === fate).length
}

export function stateOf({ fates }: Pick<CheckedSkill, 'fates'>): SkillState {
  if (countFates(fates, 'fires') > 0) return 'fires'
  return countFates(fates, 'unsure') > 0 ? 'unsure' : 'never'
}

/** Skills by their state, and all messages. */
export function countSkills(
  checked: readonly CheckedSkill[],
): Record<SkillState | 'messages', number> {
  const counts = { fires: 0, unsure: 0, never: 0, messages: 0 }
  for (const one of checked) {
    counts[stateOf(one)]++
    counts.messages += one.fates.length
  }
  return counts
}
