import { serveMatcher } from '../../src/exports/thread.js'
import { localMatcher } from '../../src/search/match/hybrid.js'
import { bundled } from '../../src/search/model/bundled/package.js'

serveMatcher(async () => localMatcher({ embedder: await bundled() }))
