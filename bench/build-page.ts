import { fileURLToPath } from 'node:url'
import { build, type Rolldown } from 'vite'

/**
 * Builds one page on its own, so that it shares no chunks with others.
 * @param folder The folder with `<name>.html`.
 * @returns The files by path.
 */
export async function buildPage(folder: URL, name: string): Promise<Map<string, Uint8Array>> {
  const root = fileURLToPath(folder)
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
      return [
        file.fileName,
        typeof content === 'string' ? new TextEncoder().encode(content) : content,
      ]
    }),
  )
}
