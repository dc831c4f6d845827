import type { FileStore } from './verified-files.js'

/** Where a checkout of the repository has the encoder. In a constant, because bundlers would look for the folder. */
const IN_CHECKOUT = '../../../../model/encoder/package.json'

/** Files of a model on disk. */
export type ReadModelFile = (file: string) => Promise<Uint8Array<ArrayBuffer> | undefined>

/** A module of Node. Looked up, so that bundlers for pages do not see it. */
function nodeModule<Module>(name: string): Module {
  const { process } = globalThis as unknown as {
    process: { getBuiltinModule(name: string): Module }
  }
  return process.getBuiltinModule(`node:${name}`)
}

const files = () => nodeModule<typeof import('node:fs/promises')>('fs/promises')
const paths = () => nodeModule<typeof import('node:path')>('path')

/** Reads the files in a folder. A missing one is `undefined`. */
export function modelFolder(folder: string): ReadModelFile {
  return async file => {
    try {
      return new Uint8Array(await files().readFile(paths().join(folder, file)))
    } catch (error) {
      if ((error as { code?: unknown }).code === 'ENOENT') return undefined
      throw error
    }
  }
}

/**
 * The folder of an npm package, resolved from this one. S4, S14: never from the current folder, which may be of a stranger.
 * @returns `undefined` if it is not installed
 */
export async function packageFolder(name: string): Promise<string | undefined> {
  const { url } = import.meta
  const { createRequire } = nodeModule<typeof import('node:module')>('module')
  const { fileURLToPath } = nodeModule<typeof import('node:url')>('url')
  try {
    return paths().dirname(createRequire(url).resolve(`${name}/package.json`))
  } catch {
    // Not installed, or this is not a file.
  }
  try {
    const file = fileURLToPath(new URL(IN_CHECKOUT, url))
    const { name: found } = JSON.parse(await files().readFile(file, 'utf8')) as { name?: unknown }
    return found === name ? paths().dirname(file) : undefined
  } catch {
    return undefined
  }
}

/** The folder in which transformers.js keeps downloads. @param base What the addresses of the model's files start with. */
export function downloadFolder(folder: string, base: string): FileStore {
  const pathOf = (address: string): string => paths().join(folder, address.slice(base.length))
  const read = modelFolder(folder)
  return {
    async match(address) {
      const bytes = await read(address.slice(base.length))
      return bytes && new Response(bytes, { headers: { 'content-length': String(bytes.length) } })
    },
    async put(address, response) {
      const path = pathOf(address)
      await files().mkdir(paths().dirname(path), { recursive: true })
      const partial = `${path}.${crypto.randomUUID()}`
      await files().writeFile(partial, new Uint8Array(await response.arrayBuffer()))
      await files().rename(partial, path)
    },
    async delete(address) {
      await files().rm(pathOf(address), { force: true })
      return true
    },
  }
}
