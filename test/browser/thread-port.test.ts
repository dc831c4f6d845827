import { describe } from 'vitest'
import { embedderCases, matcherCases } from './thread-cases.js'

describe('[CARD-2] an embedder behind a port', embedderCases)
describe('[BY-1] a matcher behind a port', matcherCases)
