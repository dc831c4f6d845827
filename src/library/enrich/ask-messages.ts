import { SkillshelfError, throwIfAborted } from '../../core/errors.js'
import type { AskForMessages } from '../api/message-writing.js'
import { type CheckedMessages, checkMessages, parseAnswer } from './check.js'
import type { MessageCounts, MessagesByLanguage } from './languages.js'
import { type EnrichedSkill, messagesPrompt } from './prompt.js'

/** Share of the messages that must be good for them to be kept. */
const MIN_SHARE = 0.5
/** Problems of an answer that the second request names. */
const MAX_PROBLEMS = 12

/**
 * Asks a model for the messages of one skill and checks the answer. If messages are missing, asks once more with the problems of the first
 * answer and adds the good messages of the second.
 * @returns `messages`: `undefined` if fewer than half of them can be used; languages without a message are absent. `problems`: of the last
 * answer, none if every message is there.
 * @throws SkillshelfError `aborted`, `model-failed` if the answer is not a string, and any error of `ask`
 */
export async function askMessages(
  ask: AskForMessages,
  skill: EnrichedSkill,
  counts: MessageCounts,
  signal: AbortSignal,
) {
  const request = async (
    problems: readonly string[],
    earlier?: MessagesByLanguage,
  ): Promise<CheckedMessages> => {
    const answer: unknown = await ask(messagesPrompt(skill, counts, problems), { signal })
    throwIfAborted(signal)
    if (typeof answer !== 'string') {
      throw new SkillshelfError('model-failed', 'The answer of the model is not a string')
    }
    return checkMessages(skill, counts, parseAnswer(answer), earlier)
  }
  const first = await request([])
  if (first.problems.length === 0) return { ...first, requests: 1 }
  const second = await request(first.problems.slice(-MAX_PROBLEMS), first.messages)
  const wanted = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const isEnough = [...second.messages.values()].flat().length >= wanted * MIN_SHARE
  const messages = new Map([...second.messages].filter(([, list]) => list.length > 0))
  return { messages: isEnough ? messages : undefined, problems: second.problems, requests: 2 }
}
