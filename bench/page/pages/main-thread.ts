import type { Responsiveness } from './results.js'

/** Interval in ms of the timer that detects tasks shorter than 50 ms. */
const TICK = 4
const MAX_GAPS = 5

/** Observes the main thread until the returned function is called. */
export function watchMainThread(): (matches: readonly number[]) => Promise<Responsiveness> {
  const start = performance.now()
  const tasks: number[] = []
  const observer = new PerformanceObserver(list => {
    // The task that calls this function is reported too.
    for (const { startTime, duration } of list.getEntries()) {
      if (startTime >= start) tasks.push(duration)
    }
  })
  observer.observe({ type: 'longtask' })
  const gaps: number[] = []
  let last = start
  const tick = (): void => {
    const now = performance.now()
    gaps.push(now - last)
    last = now
  }
  const timer = setInterval(tick, TICK)

  return async matches => {
    clearInterval(timer)
    tick()
    const ms = last - start
    // Entries arrive after the task that they describe.
    await new Promise(resolve => setTimeout(resolve, 100))
    observer.disconnect()
    const longest = gaps.sort((a, b) => b - a).slice(0, MAX_GAPS)
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
