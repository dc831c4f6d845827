import { tell } from './tell.js'
import type { FirstMatch } from './told.js'

/** What a browser needs before any script of ours runs. */
tell(async (): Promise<FirstMatch> => {
  const now = performance.now()
  return { script: now, opened: now, answered: now, model: '', found: [] }
})
