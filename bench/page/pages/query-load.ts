import type { SkillLibrary } from '../../../src/exports/index.js'
import { LOAD_MESSAGES } from './messages.js'

const INTERVAL = 100

/** Matches a message every 100 ms, even if earlier ones are pending. `take` returns the durations since the last call. */
export function startQueryLoad(library: SkillLibrary): { take(): number[]; stop(): void } {
  let times: number[] = []
  let count = 0
  const timer = setInterval(async () => {
    const start = performance.now()
    await library.match(LOAD_MESSAGES[count++ % LOAD_MESSAGES.length] as string)
    times.push(performance.now() - start)
  }, INTERVAL)
  return {
    take() {
      const taken = times
      times = []
      return taken
    },
    stop: () => clearInterval(timer),
  }
}
