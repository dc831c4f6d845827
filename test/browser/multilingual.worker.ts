import { multilingual } from '../../src/exports/multilingual.js'
import { serveEmbedder } from '../../src/exports/thread.js'

serveEmbedder(multilingual)
