import type { Fluency, LongFrame } from './told.js'

/** Of the timer whose beats show what is too short to be a long task. */
const BEAT = 4
const SHOWN = 5

interface FrameEntry extends PerformanceEntry {
  scripts?: readonly { invoker: string; duration: number; sourceFunctionName: string; sourceCharPosition: number }[]
}

/** Watches the main thread until it is asked. */
export function watchThread(): (matches: readonly number[]) => Promise<Fluency> {
  const tasks: number[] = []
  const frames: LongFrame[] = []
  const observers = [
    observe('longtask', ({ duration }) => void tasks.push(duration)),
    observe('long-animation-frame', ({ startTime, duration, scripts = [] }) => {
      const said = scripts.map(
        one => `${one.invoker} ${one.sourceFunctionName}@${one.sourceCharPosition} ${one.duration.toFixed(0)} ms`,
      )
      frames.push({ start: startTime, ms: duration, scripts: said })
    }),
  ]
  const start = performance.now()
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
    for (const observer of observers) observer.disconnect()
    const longest = gaps.sort((a, b) => b - a).slice(0, SHOWN)
    return {
      ms,
      longestTask: Math.max(0, ...tasks),
      longTasks: tasks.length,
      longestGap: longest[0] ?? 0,
      gaps: longest,
      frames,
      matches,
    }
  }
}

function observe(type: string, each: (entry: FrameEntry) => void): PerformanceObserver {
  const observer = new PerformanceObserver(list => list.getEntries().forEach(each))
  observer.observe({ type })
  return observer
}
