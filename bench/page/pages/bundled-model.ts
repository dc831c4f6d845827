import { openLibrary } from '../../../src/exports/index.js'
import { MESSAGES } from './messages.js'
import { report } from './report.js'
import type { FirstMatch } from './results.js'

const script = performance.now()
const message = MESSAGES[location.search === '?zh' ? 'zh' : 'en']

report(async (): Promise<FirstMatch> => {
  // Slow networks are measured too.
  const library = await openLibrary('/skills/', {
    strict: true,
    modelTimeout: Number.POSITIVE_INFINITY,
  })
  const opened = performance.now()
  const { matches, model } = await library.match(message)
  return {
    script,
    opened,
    answered: performance.now(),
    model,
    found: matches.map(({ name }) => name),
  }
})
