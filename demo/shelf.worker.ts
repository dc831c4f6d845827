import { transformers } from 'skillshelf/embed/transformers'
import { serveEmbedder } from 'skillshelf/thread'

serveEmbedder(transformers)
