import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'
import { isUncached } from './install-plugin.js'

/** The runtime of the transformer, the example of the edge, and the parts of the bundled model for other languages. They are large, so the service worker caches them on first use. */
const LAZY =
  /^assets\/(?:ort-|transformers|edge-|response-|(?:european|cyrillic|kana|hangul)-|.*\.worker)/

/** Builds the service worker and writes the list of the page's files into it. */
export const offline: Plugin = {
  name: 'offline',
  apply: 'build',
  buildStart() {
    this.emitFile({
      type: 'chunk',
      id: fileURLToPath(new URL('sw.ts', import.meta.url)),
      fileName: 'sw.js',
    })
  },
  generateBundle: {
    order: 'post',
    handler(_, bundle) {
      const worker = bundle['sw.js']
      const page = bundle['index.html']
      if (worker?.type !== 'chunk' || page?.type !== 'asset') {
        throw new Error('The build has no sw.js or no index.html')
      }
      const files = Object.keys(bundle)
        .filter(name => name !== 'sw.js' && name !== 'index.html' && !isUncached(name))
        .sort()
      const entry = /<script[^>]* src="\.\/([^"]+)"/.exec(String(page.source))?.[1]
      if (entry === undefined) throw new Error('index.html has no script')
      const build = {
        // The other file names contain a hash of their content.
        version: createHash('sha256')
          .update(page.source)
          .update(files.join())
          .digest('hex')
          .slice(0, 16),
        entry,
        precached: files.filter(name => !LAZY.test(name)),
        lazy: files.filter(name => LAZY.test(name)),
      }
      worker.code = worker.code.replace('__BUILD__', () => JSON.stringify(build))
    },
  },
}
