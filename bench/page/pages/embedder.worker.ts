import { serveEmbedder } from '../../../src/exports/thread.js'
import { transformers } from '../../../src/exports/transformers.js'

serveEmbedder(transformers)
