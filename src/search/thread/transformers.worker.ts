import { transformers } from '../model/transformers/transformers.js'
import { serveEmbedder } from './embedder.js'

serveEmbedder(transformers)
