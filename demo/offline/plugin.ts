import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { Plugin } from 'vite'
import { isUncached } from './install-plugin.js'

/** The runtime of the transformer, the example of the edge, and the bundled model. They are large, so the service worker caches what was used. */
const LAZY =
  /^assets\/(?:ort-|transformers|edge-|response-|rows-|(?:latin|european|cyrillic|han|kana|hangul)-|.*\.worker)/
/** What every visit loads before it is offline. */
const FIRST = /^assets\/(?:skillshelf|message-language|bundled-model)-/

/** Builds the service worker and writes the list of the page's files into it. The scripts of closed views are one file for it, instead of a request each. */
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
      const kept = files.filter(name => !LAZY.test(name))
      const packed = kept.filter(name => name.endsWith('.js') && !FIRST.test(name))
      const texts = packed.map(name => {
        const file = bundle[name]
        return [name, file?.type === 'chunk' ? file.code : String(file?.source)]
      })
      const pack = this.emitFile({
        type: 'asset',
        name: 'offline.gzip',
        source: gzipSync(JSON.stringify(Object.fromEntries(texts)), { level: 9 }),
      })
      const build = {
        // The other file names contain a hash of their content.
        version: createHash('sha256')
          .update(page.source)
          .update(files.join())
          .digest('hex')
          .slice(0, 16),
        entry,
        precached: kept.filter(name => !packed.includes(name)),
        packed,
        pack: this.getFileName(pack),
        lazy: files.filter(name => LAZY.test(name)),
      }
      worker.code = worker.code.replace('__BUILD__', () => JSON.stringify(build))
    },
  },
}
