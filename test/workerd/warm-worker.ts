import { warm } from '../../src/exports/server.js'
import { bundled } from '../../src/search/model/bundled/workerd.js'

const warmed = [await warm(), await warm({ embedder: bundled() })]

export default { fetch: () => Response.json(warmed) }
