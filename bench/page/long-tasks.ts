/** The longest task of the main thread between two marks. */
export interface LongestTasks {
  /** Wall-clock time in ms. */
  wall: number
  /** CPU time in ms. It excludes waiting for a core on a busy machine. */
  cpu: number
}

/** The trace categories that `longestTasks` needs. */
export const TASK_CATEGORIES = ['toplevel', 'blink.user_timing']

interface TraceEvent {
  name: string
  ph: string
  pid: number
  tid: number
  /** In µs, like `dur` and `tdur`. */
  ts: number
  dur?: number
  tdur?: number
}

/** Returns the longest task from each mark to the next, on the thread that made the marks. The last mark is the end. */
export function longestTasks(
  trace: Buffer,
  marks: readonly string[],
): Record<string, LongestTasks> {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] }
  const found = marks.map(mark => {
    const event = traceEvents.find(({ name, ph }) => name === mark && 'RIn'.includes(ph))
    if (!event) throw new Error(`The trace has no mark ${mark}`)
    return event
  })
  const { pid, tid } = found[0] as TraceEvent
  const tasks = traceEvents.filter(
    event =>
      event.pid === pid && event.tid === tid && event.ph === 'X' && event.name.endsWith('RunTask'),
  )
  return Object.fromEntries(
    found.slice(0, -1).map((mark, at) => {
      const end = (found[at + 1] as TraceEvent).ts
      const some = tasks.filter(({ ts }) => ts >= mark.ts && ts < end)
      const longest = (of: (task: TraceEvent) => number): number =>
        some.reduce((most, task) => Math.max(most, of(task)), 0) / 1000
      return [
        mark.name,
        { wall: longest(({ dur = 0 }) => dur), cpu: longest(({ tdur = 0 }) => tdur) },
      ]
    }),
  )
}
