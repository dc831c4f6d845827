import { transformers } from '../../../src/embed/transformers/index.js'
import { serveEmbedder } from '../../../src/thread/index.js'

serveEmbedder(transformers)
