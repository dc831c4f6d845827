import { fileURLToPath } from 'node:url'
import { build, type Rolldown } from 'vite'

/** Pages of the folder `pages`, each built on its own, so that none carries what only another needs. */
export const PAGES = ['floor', 'words', 'meaning', 'peer', 'upgrade', 'large'] as const

export type PageName = (typeof PAGES)[number]

/** The files of a page as a static host has them, by path: `<name>/<name>.html` and what it loads. */
export async function buildPage(name: PageName): Promise<Map<string, Uint8Array>> {
  const root = fileURLToPath(new URL('pages', import.meta.url))
  const result = (await build({
    configFile: false,
    root,
    base: './',
    publicDir: false,
    logLevel: 'error',
    // Half as large, and all that WASM needs.
    resolve: { alias: { 'onnxruntime-web/webgpu': 'onnxruntime-web/wasm' } },
    worker: { format: 'es' },
    build: { write: false, target: 'es2022', rolldownOptions: { input: `${root}/${name}.html` } },
  })) as Rolldown.RolldownOutput
  return new Map(
    result.output.map(one => {
      const content = one.type === 'chunk' ? one.code : one.source
      return [`${name}/${one.fileName}`, typeof content === 'string' ? new TextEncoder().encode(content) : content]
    }),
  )
}
