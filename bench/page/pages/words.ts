import { openLibrary } from '../../../src/exports/index.js'
import { MESSAGES } from './messages.js'
import { tell } from './tell.js'
import type { FirstMatch } from './told.js'

const script = performance.now()

tell(async (): Promise<FirstMatch> => {
  const library = await openLibrary('/skills/', { strict: true })
  const opened = performance.now()
  const { matches, model } = await library.match(MESSAGES.en)
  return { script, opened, answered: performance.now(), model, found: matches.map(({ name }) => name) }
})
