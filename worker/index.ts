import { createHandler, warm } from '../src/exports/server.js'
import { bundled } from '../src/search/model/bundled/workerd.js'
import { type Env, servedLibrary } from './served.js'

await warm({ embedder: bundled() })

/** Worker that matches by keywords and by meaning, with the bundled model. */
export default createHandler((env: Env) => servedLibrary(env, bundled))
