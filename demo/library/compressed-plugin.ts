import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import type { Plugin } from 'vite'

/** The modules with URLs by file name, and what they list. */
const MODULES = new Map([
  [
    'virtual:compressed-samples',
    { folder: new URL('../public/skills/', import.meta.url), ending: '.seg' },
  ],
  [
    'virtual:compressed-model',
    { folder: new URL('../../model/', import.meta.url), ending: '.bin' },
  ],
])

/**
 * Writes compressed copies of the samples' index and of the bundled model beside the page: static hosts compress texts only.
 * Their names do not end with `.gz`, because some hosts send such files as `content-encoding: gzip`, and the browser inflates them.
 * compressed-files.ts runs as soon as it has come.
 */
export const compressed: Plugin = {
  name: 'compressed-files',
  resolveId: id => (MODULES.has(id) ? `\0${id}` : undefined),
  load(id) {
    const list = MODULES.get(id.slice(1))
    if (!list) return undefined
    const { folder, ending } = list
    const isBuilt = this.environment.mode === 'build' && existsSync(folder)
    const entries = (isBuilt ? readdirSync(folder).filter(name => name.endsWith(ending)) : []).map(
      file => {
        const source = gzipSync(readFileSync(new URL(file, folder)), { level: 9 })
        const asset = this.emitFile({
          type: 'asset',
          name: `${file.replace(/\.bin$/, '')}.gzip`,
          source,
        })
        return `'${file}': import.meta.ROLLUP_FILE_URL_${asset}`
      },
    )
    return `export default { ${entries.join(', ')} }`
  },
  // Modules run in the order of the document, so the first need not wait for the others.
  transformIndexHtml: {
    order: 'post',
    handler: html => {
      const [script = ''] =
        /<script type="module"[^>]*\/compressed-files-[^>]*><\/script>\s*/.exec(html) ?? []
      return html.replace(script, '').replace('<script type="module"', `${script}$&`)
    },
  },
}
