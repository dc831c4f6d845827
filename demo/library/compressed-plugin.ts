import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import type { Plugin, Rolldown } from 'vite'
import { MESSAGES } from '../search/demonstration-messages.js'
import { rowsOf } from './first-rows.js'

/** Emits the rows of the bundled model, and returns an expression for the address of their folder. */
type EmitRows = (context: Rolldown.PluginContext) => string

const MODEL = 'virtual:compressed-model'

/** The modules with URLs by file name, and what they list. */
const MODULES = new Map([
  [
    'virtual:compressed-samples',
    { folder: new URL('../public/skills/', import.meta.url), ending: '.seg' },
  ],
  [MODEL, { folder: new URL('../../model/', import.meta.url), ending: '.bin' }],
])

/**
 * Writes compressed copies of the samples' index and of the bundled model beside the page, and the rows of the model: static hosts compress texts only.
 * Their names do not end with `.gz`, because some hosts send such files as `content-encoding: gzip`, and the browser inflates them.
 */
export const compressed = (emitRows: EmitRows): Plugin => ({
  name: 'compressed-files',
  resolveId: id => (MODULES.has(id) ? `\0${id}` : undefined),
  async load(id) {
    const name = id.slice(1)
    const listed = MODULES.get(name)
    if (!listed) return undefined
    const { folder, ending } = listed
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
    const list = `export default { ${entries.join(', ')} }`
    if (name !== MODEL) {
      return `${list}\nexport const archive = ${isBuilt ? emitSamples(this, folder) : 'undefined'}`
    }
    const shown = isBuilt ? await emitShownRows(this) : ''
    const rows = isBuilt ? emitRows(this) : 'undefined'
    return `${list}\nexport const rows = ${rows}\nexport const shownRows = { ${shown} }`
  },
})

/** Emits the files of all samples as one, for the offline copy: JSON of their texts by path, and of base64 for others. Returns an expression for its address. */
function emitSamples(context: Rolldown.PluginContext, folder: URL): string {
  const files = readdirSync(new URL('files/', folder))
    // Downloads, which are made of the other files.
    .filter(name => !name.endsWith('.tgz'))
    .map(name => {
      const bytes = readFileSync(new URL(`files/${name}`, folder))
      const text = bytes.toString()
      const isText = Buffer.from(text).equals(bytes)
      return [`files/${name}`, isText ? text : { base64: bytes.toString('base64') }]
    })
  const source = gzipSync(JSON.stringify(Object.fromEntries(files)), { level: 9 })
  const asset = context.emitFile({ type: 'asset', name: 'samples.gzip', source })
  return `import.meta.ROLLUP_FILE_URL_${asset}`
}

/** Emits the rows of the page's own messages of each language as two files: those of the first message, and those that the others need beside them. */
async function emitShownRows(context: Rolldown.PluginContext): Promise<string> {
  const languages = Object.entries(MESSAGES).map(async ([language, [message, ...others]]) => {
    const first = await rowsOf(message)
    const more = (await Promise.all(others.map(rowsOf))).flatMap(rows => [...rows])
    const added = new Map(more.filter(([path]) => !first.has(path)))
    const files = [emitFiles(context, language, first), emitFiles(context, language, added)]
    return `${language}: [${files.join(', ')}]`
  })
  return (await Promise.all(languages)).join(', ')
}

function emitFiles(
  context: Rolldown.PluginContext,
  language: string,
  files: ReadonlyMap<string, Uint8Array>,
): string {
  const asset = context.emitFile({
    type: 'asset',
    name: `rows-${language}.bin`,
    source: Buffer.concat([...files.values()]),
  })
  const sizes = JSON.stringify([...files].map(([path, { length }]) => [path, length]))
  return `{ url: import.meta.ROLLUP_FILE_URL_${asset}, sizes: ${sizes} }`
}
