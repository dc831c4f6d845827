import { createHandler } from '../src/http/index.js'
import { bundled } from '../src/model/index.workerd.js'
import { type Env, shelfOf } from './shelf.js'

/** A skill library at the edge, found by words and by meaning. */
export default createHandler((env: Env) => shelfOf(env, bundled))
