/**
 * Compiles the files of kernel/, the hot loops in AssemblyScript with SIMD, to WebAssembly in dist/kernel. `package.json` names the results
 * `#kernel/*`: a page and Node compile bytes that are part of the script; workerd, which forbids that, imports a `.wasm` file.
 */
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const source = fileURLToPath(new URL('../kernel', import.meta.url))
const out = fileURLToPath(new URL('../dist/kernel', import.meta.url))

/** Chromium compiles at most this synchronously on the main thread of a page. */
const MAX_BYTES = 4_096

/** Skips files that are older than their results. */
export async function buildKernel(): Promise<void> {
  mkdirSync(out, { recursive: true })
  for (const file of readdirSync(source).filter(name => name.endsWith('.ts'))) {
    const name = file.slice(0, -'.ts'.length)
    const last = join(out, `${name}.js`)
    const inputs = [join(source, file), fileURLToPath(import.meta.url)]
    if (
      existsSync(last) &&
      inputs.every(input => statSync(input).mtimeMs < statSync(last).mtimeMs)
    ) {
      continue
    }
    const binary = await compile(file)
    writeFileSync(join(out, `${name}.wasm`), binary)
    writeFileSync(
      join(out, `${name}.workerd.js`),
      `import module from './${name}.wasm'\nexport const compile = () => module\n`,
    )
    const base64 = Buffer.from(binary).toString('base64')
    writeFileSync(
      last,
      `export const compile = () => new WebAssembly.Module(Uint8Array.from(atob('${base64}'), char => char.charCodeAt(0)))\n`,
    )
  }
}

async function compile(file: string): Promise<Uint8Array> {
  const { default: asc } = await import('assemblyscript/asc')
  let binary = new Uint8Array()
  const { error, stderr } = await asc.main(
    [
      ...[file, '--baseDir', source, '--outFile', 'out.wasm', '--importMemory'],
      ...[
        '--optimizeLevel',
        '3',
        '--shrinkLevel',
        '1',
        '--enable',
        'simd',
        '--runtime',
        'stub',
        '--noAssert',
      ],
    ],
    {
      writeFile(_name, content) {
        binary = new Uint8Array(content as Uint8Array)
      },
    },
  )
  if (error) throw new Error(`${error.message}\n${stderr}`)
  if (binary.length === 0 || binary.length > MAX_BYTES) {
    throw new Error(`${file}: ${binary.length} bytes`)
  }
  return binary
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildKernel()
