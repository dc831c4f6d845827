import { multilingual } from '../../src/exports/model.js'
import { serveEmbedder } from '../../src/exports/thread.js'

serveEmbedder(multilingual)
