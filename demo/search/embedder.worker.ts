import { serveEmbedder } from 'skillshelf/thread'
import { transformers } from 'skillshelf/transformers'

serveEmbedder(transformers)
