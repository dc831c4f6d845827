import { createHandler, warm } from '../src/exports/server.js'
import { model } from './model.js'
import { type Env, servedLibrary } from './served.js'

await warm({ embedder: model() })

/** Worker that matches by keywords and by meaning, with the bundled model. */
export default createHandler((env: Env) => servedLibrary(env, model))
