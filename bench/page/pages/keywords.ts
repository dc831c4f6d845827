import { openLibrary } from '../../../src/exports/index.js'
import { MESSAGES } from './messages.js'
import { report } from './report.js'
import type { FirstMatch } from './results.js'

const script = performance.now()

report(async (): Promise<FirstMatch> => {
  const library = await openLibrary('/skills/', { strict: true, embedder: false })
  const opened = performance.now()
  const { matches, model } = await library.match(MESSAGES.en)
  return {
    script,
    opened,
    answered: performance.now(),
    model,
    found: matches.map(({ name }) => name),
  }
})
