import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'

/** Files that only who loads a transformer needs. */
const LATER = /^assets\/(?:ort-|transformers|shelf\.worker|.*\.worker)/

/** Builds the service worker beside the page, and tells it which files the page is made of. */
export const offline: Plugin = {
  name: 'offline',
  apply: 'build',
  buildStart() {
    this.emitFile({ type: 'chunk', id: fileURLToPath(new URL('sw.ts', import.meta.url)), fileName: 'sw.js' })
  },
  generateBundle: {
    order: 'post',
    handler(_, bundle) {
      const worker = bundle['sw.js']
      const page = bundle['index.html']
      if (worker?.type !== 'chunk' || page?.type !== 'asset') throw new Error('The page was built without its worker')
      const files = Object.keys(bundle)
        .filter(name => name !== 'sw.js' && name !== 'index.html')
        .sort()
      const entry = files.find(name => {
        const one = bundle[name]
        return one?.type === 'chunk' && one.isEntry
      })
      const build = {
        // The other files carry theirs in their names.
        version: createHash('sha256').update(page.source).update(files.join()).digest('hex').slice(0, 16),
        entry,
        first: files.filter(name => !LATER.test(name)),
        later: files.filter(name => LATER.test(name)),
      }
      worker.code = worker.code.replace('__BUILD__', () => JSON.stringify(build))
    },
  },
}
