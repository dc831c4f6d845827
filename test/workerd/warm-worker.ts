// @ts-expect-error: no types for data
import latin from '../../model/latin.bin'
import { bundled } from '../../src/exports/model.js'
import { warm } from '../../src/exports/server.js'

const warmed = [await warm(), await warm({ embedder: bundled({ files: { latin } }) })]

export default { fetch: () => Response.json(warmed) }
