import { localMatcher } from '../../../src/search/match/hybrid.js'
import type { LiveSegment, Matcher } from '../../../src/search/match/skill-match.js'
import type { SkillModel } from '../../../src/search/model/skill-model.js'
import type { LargeTimes } from './results.js'

/** `about.json` of a large library. */
export interface LargeLibrary {
  sizes: readonly number[]
  messages: Readonly<Record<string, readonly string[]>>
}

const LIMIT = 5
const ROUNDS = 200
/** Time budget in ms for one kind of message. */
const BUDGET = 4_000

/** Times matching over a large library, in a page and in Node. */
export async function timeMatching(
  { sizes, messages }: LargeLibrary,
  readSegment: (index: number) => Promise<Uint8Array<ArrayBuffer>>,
  model: SkillModel,
): Promise<LargeTimes> {
  let skills = 0
  const segments: LiveSegment[] = []
  for (const [at, size] of sizes.entries()) {
    const bytes = await readSegment(at)
    const from = skills
    skills += size
    segments.push({
      key: String(at),
      bytes,
      ids: Array.from({ length: size }, (_, n) => String(from + n)),
      dead: [],
    })
  }
  const matchers: Record<string, Matcher> = {
    words: localMatcher(),
    'words and meaning': localMatcher({ embedder: model }),
  }
  const start = performance.now()
  for (const matcher of Object.values(matchers)) await matcher.update({ revision: '', segments })
  const opened = (performance.now() - start) / Object.keys(matchers).length

  const times: Record<string, Record<string, number[]>> = {}
  for (const [name, matcher] of Object.entries(matchers)) {
    times[name] = {}
    for (const [kind, some] of Object.entries(messages)) {
      times[name][kind] = await timesOf(matcher, some)
    }
  }
  return { skills, opened, times }
}

async function timesOf(matcher: Matcher, some: readonly string[]): Promise<number[]> {
  const times: number[] = []
  const until = performance.now() + BUDGET
  for (let round = 0; round < ROUNDS && (round < 4 || performance.now() < until); round++) {
    for (const message of some) {
      const before = performance.now()
      await matcher.match({ message }, { limit: LIMIT })
      if (round > 0) times.push(performance.now() - before)
    }
  }
  return times
}
