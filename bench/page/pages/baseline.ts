import { report } from './report.js'
import type { FirstMatch } from './results.js'

/** The time a browser needs before any script runs. */
report(async (): Promise<FirstMatch> => {
  const now = performance.now()
  return { script: now, opened: now, answered: now, model: '', found: [] }
})
