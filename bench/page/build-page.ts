import { fileURLToPath } from 'node:url'
import { build, type Rolldown } from 'vite'

/** The pages in `pages`. Each is built on its own, so that it shares no chunks with the others. */
export const PAGES = ['baseline', 'keywords', 'bundled-model', 'peer', 'upgrade', 'large'] as const

export type PageName = (typeof PAGES)[number]

/** Builds a page. The files are keyed by path: `<name>/<name>.html` and its assets. */
export async function buildPage(name: PageName): Promise<Map<string, Uint8Array>> {
  const root = fileURLToPath(new URL('pages', import.meta.url))
  const result = (await build({
    configFile: false,
    root,
    base: './',
    publicDir: false,
    logLevel: 'error',
    // Half the size; WebGPU is not used.
    resolve: { alias: { 'onnxruntime-web/webgpu': 'onnxruntime-web/wasm' } },
    worker: { format: 'es' },
    build: { write: false, target: 'es2022', rolldownOptions: { input: `${root}/${name}.html` } },
  })) as Rolldown.RolldownOutput
  return new Map(
    result.output.map(file => {
      const content = file.type === 'chunk' ? file.code : file.source
      return [`${name}/${file.fileName}`, typeof content === 'string' ? new TextEncoder().encode(content) : content]
    }),
  )
}
