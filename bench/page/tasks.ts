/** The longest tasks of a main thread, between two marks of the page. */
export interface LongestTasks {
  /** By the clock, in ms. */
  wall: number
  /** By the time that the thread had a core: on a busy machine the rest is waiting for one. */
  own: number
}

/** What Chromium has to trace for `longestTasks`. */
export const TASK_CATEGORIES = ['toplevel', 'blink.user_timing']

interface TraceEvent {
  name: string
  ph: string
  pid: number
  tid: number
  /** Microseconds, as are the next two. */
  ts: number
  dur?: number
  tdur?: number
}

/** Of the thread that made these marks, from each to the next; the last mark is the end. */
export function longestTasks(trace: Buffer, marks: readonly string[]): Record<string, LongestTasks> {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] }
  const found = marks.map(mark => {
    const event = traceEvents.find(({ name, ph }) => name === mark && 'RIn'.includes(ph))
    if (!event) throw new Error(`The page made no mark ${mark}`)
    return event
  })
  const { pid, tid } = found[0] as TraceEvent
  const tasks = traceEvents.filter(
    event => event.pid === pid && event.tid === tid && event.ph === 'X' && event.name.endsWith('RunTask'),
  )
  return Object.fromEntries(
    found.slice(0, -1).map((mark, at) => {
      const end = (found[at + 1] as TraceEvent).ts
      const some = tasks.filter(({ ts }) => ts >= mark.ts && ts < end)
      const longest = (of: (task: TraceEvent) => number): number =>
        some.reduce((most, task) => Math.max(most, of(task)), 0) / 1000
      return [mark.name, { wall: longest(({ dur = 0 }) => dur), own: longest(({ tdur = 0 }) => tdur) }]
    }),
  )
}
