import { bundled } from '../src/embed/bundled/workerd.js'
import { createHandler } from '../src/exports/server.js'
import { type Env, servedLibrary } from './handler.js'

/** A skill library at the edge, found by words and by meaning. */
export default createHandler((env: Env) => servedLibrary(env, bundled))
