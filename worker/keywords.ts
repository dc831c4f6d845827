import { createHandler, warm } from '../src/exports/server.js'
import { type Env, servedLibrary } from './served.js'

await warm()

/** Worker that matches by keywords only. Its upload is a tenth of the size. */
export default createHandler((env: Env) => servedLibrary(env))
