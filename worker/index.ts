import { bundled } from '../src/embed/bundled/workerd.js'
import { createHandler } from '../src/exports/server.js'
import { type Env, shelfOf } from './shelf.js'

/** A skill library at the edge, found by words and by meaning. */
export default createHandler((env: Env) => shelfOf(env, bundled))
