import progress from 'cli-progress'
import type { Io } from './io.js'

export interface ProgressBar {
  update(label: string, done: number, total: number): void
  /** Takes the bar away. Must be called, also after an error. */
  stop(): void
}

/** A bar on stderr, where that is a terminal: what is piped stays clean. */
export function startProgressBar(io: Io): ProgressBar {
  if (!io.progress) return { update: () => {}, stop: () => {} }
  const bar = new progress.SingleBar(
    {
      format: '{label} {bar} {value}/{total}',
      stream: io.progress,
      hideCursor: true,
      clearOnComplete: true,
      // SIGINT is ours: it aborts the work, which stops the bar.
      gracefulExit: false,
      barsize: 30,
    },
    progress.Presets.shades_classic,
  )
  let running = false
  return {
    update(label, done, total) {
      if (running) {
        bar.setTotal(total)
        bar.update(done, { label })
      } else {
        running = true
        bar.start(total, done, { label })
      }
    },
    stop() {
      if (running) bar.stop()
      running = false
    },
  }
}
