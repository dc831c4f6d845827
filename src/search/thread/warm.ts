import { isLocalMatcher } from '../match/local-matchers.js'
import type { Matcher } from '../match/types.js'

/** In English only, because a model may load a part for each language. */
const MESSAGES = [
  'I have two old spreadsheets and need to compare them before Friday, can you help?',
  'review this contract',
  'turn my notes of the meeting into slides',
  'translate the recipe',
] as const
const ROUNDS = 6

/**
 * Matches made-up messages, so that the engine has compiled the code before the first message of the page. Each runs in a task of its own.
 * @param isIdle The rest is left out once it returns `false`.
 */
export async function warmMatcher(matcher: Matcher, isIdle: () => boolean): Promise<void> {
  if (!isLocalMatcher(matcher)) return
  for (let round = 0; round < ROUNDS; round++)
    for (const message of MESSAGES) {
      await new Promise(resolve => setTimeout(resolve, 0))
      if (!isIdle()) return
      await matcher.match({ message }, { limit: 3 })
    }
}
