import { transformers } from '../embed/transformers/transformers.js'
import { serveEmbedder } from './embedder.js'

serveEmbedder(transformers)
