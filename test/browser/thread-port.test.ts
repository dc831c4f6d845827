import { describe } from 'vitest'
import { embedderCases } from './thread-cases.js'

describe('[CARD-2] an embedder behind a port', embedderCases)
