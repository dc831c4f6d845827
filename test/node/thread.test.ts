import { describe } from 'vitest'
import { embedderCases, matcherCases } from '../browser/thread-cases.js'

// workerd has ports, but moves nothing through them: this runs in Node and in a page.
describe('[CARD-2] an embedder behind a port', embedderCases)
describe('[BY-1] a matcher behind a port', matcherCases)
