import { transformers } from '../embed/transformers/index.js'
import { serveEmbedder } from './embedder.js'

serveEmbedder(transformers)
