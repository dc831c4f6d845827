import type { Fluency } from './told.js'

/** Of the timer whose beats show what is too short to be a long task. */
const BEAT = 4
const SHOWN = 5

/** Watches the main thread until it is asked. */
export function watchThread(): (matches: readonly number[]) => Promise<Fluency> {
  const start = performance.now()
  const tasks: number[] = []
  const observer = new PerformanceObserver(list => {
    // The task that calls this is told of too, and does not count.
    for (const { startTime, duration } of list.getEntries()) if (startTime >= start) tasks.push(duration)
  })
  observer.observe({ type: 'longtask' })
  const gaps: number[] = []
  let last = start
  const beat = (): void => {
    const now = performance.now()
    gaps.push(now - last)
    last = now
  }
  const timer = setInterval(beat, BEAT)

  return async matches => {
    clearInterval(timer)
    beat()
    const ms = last - start
    // Entries come a task later than what they tell of.
    await new Promise(resolve => setTimeout(resolve, 100))
    observer.disconnect()
    const longest = gaps.sort((a, b) => b - a).slice(0, SHOWN)
    return {
      ms,
      longestTask: Math.max(0, ...tasks),
      longTasks: tasks.length,
      longestGap: longest[0] ?? 0,
      gaps: longest,
      matches,
    }
  }
}
