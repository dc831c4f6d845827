import progress from 'cli-progress'
import type { Io } from './io.js'

export interface ProgressBar {
  update(label: string, done: number, total: number | undefined): void
  /** Removes the bar. Call it in a `finally`. */
  stop(): void
}

/** Draws a progress bar on stderr if that is a terminal. */
export function startProgressBar(io: Io): ProgressBar {
  if (!io.progress) return { update: () => {}, stop: () => {} }
  const bar = new progress.SingleBar(
    {
      format: '{label} {bar} {value}/{total}',
      stream: io.progress,
      hideCursor: true,
      clearOnComplete: true,
      // SIGINT aborts the command, which stops the bar.
      gracefulExit: false,
      barsize: 30,
    },
    progress.Presets.shades_classic,
  )
  let running = false
  return {
    update(label, done, total = done) {
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
