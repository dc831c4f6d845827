import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import type { Plugin } from 'vite'

const MODULE = 'virtual:compressed-samples'
const FOLDER = new URL('../public/skills/', import.meta.url)

/** Writes a compressed copy of the samples' index beside the page: static hosts compress texts only. The module has its URL by file name. */
export const compressed: Plugin = {
  name: 'compressed-samples',
  resolveId: id => (id === MODULE ? `\0${MODULE}` : undefined),
  load(id) {
    if (id !== `\0${MODULE}`) return undefined
    const isBuilt = this.environment.mode === 'build' && existsSync(FOLDER)
    const entries = (isBuilt ? readdirSync(FOLDER).filter(name => name.endsWith('.seg')) : []).map(name => {
      const source = gzipSync(readFileSync(new URL(name, FOLDER)), { level: 9 })
      const asset = this.emitFile({ type: 'asset', name: `${name}.gz`, source })
      return `'${name}': import.meta.ROLLUP_FILE_URL_${asset}`
    })
    return `export default { ${entries.join(', ')} }`
  },
}
