import { bundled } from '../../src/embed/bundled/workerd.js'
import { warm } from '../../src/exports/server.js'

const warmed = [await warm(), await warm({ embedder: bundled() })]

export default { fetch: () => Response.json(warmed) }
