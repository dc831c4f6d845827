import { createHandler } from '../src/exports/server.js'
import { type Env, servedLibrary } from './handler.js'

/** The same without a model: a tenth of the upload, found by words alone. */
export default createHandler((env: Env) => servedLibrary(env))
