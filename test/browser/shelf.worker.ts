import { localMatcher } from '../../src/match/local.js'
import { bundled } from '../../src/model/index.js'
import { serveMatcher } from '../../src/thread/index.js'

serveMatcher(async () => localMatcher({ model: await bundled() }))
