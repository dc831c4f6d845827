import type { SkillLibrary } from '../../../src/exports/index.js'
import { MEANWHILE } from './messages.js'

const EVERY = 100

/** Asks the library every 100 ms, whether it has answered the last or not; `take` gives the times since the last `take`. */
export function keepAsking(library: SkillLibrary): { take(): number[]; stop(): void } {
  let times: number[] = []
  let asked = 0
  const timer = setInterval(async () => {
    const start = performance.now()
    await library.match(MEANWHILE[asked++ % MEANWHILE.length] as string)
    times.push(performance.now() - start)
  }, EVERY)
  return {
    take() {
      const taken = times
      times = []
      return taken
    },
    stop: () => clearInterval(timer),
  }
}
