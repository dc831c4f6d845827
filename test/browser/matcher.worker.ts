import { bundled } from '../../src/embed/bundled/package.js'
import { serveMatcher } from '../../src/exports/thread.js'
import { localMatcher } from '../../src/match/hybrid.js'

serveMatcher(async () => localMatcher({ embedder: await bundled() }))
