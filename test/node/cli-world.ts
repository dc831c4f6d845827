import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach } from 'vitest'
import { type Io, run } from '../../src/tools/cli/program.js'

import { samples as demo } from '../samples.js'

export { demo }

/** The built command line, for tests of a process. */
export const main = fileURLToPath(new URL('../../dist/tools/cli/main.js', import.meta.url))

const made: string[] = []

afterEach(async () => {
  for (const folder of made.splice(0)) await rm(folder, { recursive: true, force: true })
})

/** Creates a temporary folder with these files. It is removed after the test. */
export async function folderOf(files: Readonly<Record<string, string | Uint8Array>> = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'skillshelf-cli-'))
  made.push(folder)
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content)
  }
  return folder
}

export function skill(name: string, description: string, body = '# Steps\n\nDo it well.\n'): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\n\n${body}`
}

/** Two skills in the folder `skills`. */
export const two = {
  'skills/a/SKILL.md': skill('a', 'Mends bicycles.'),
  'skills/a/scripts/a.py': 'print(1)',
  'skills/b/SKILL.md': skill('b', 'Bakes bread.'),
}

/** The files and links of a folder with their content. */
export async function contentsOf(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter(entry => !entry.isDirectory()).map(entry => join(entry.parentPath, entry.name))
  return Object.fromEntries(
    await Promise.all(
      files.sort().map(async file => [file.slice(folder.length + 1), await readFile(file, 'latin1').catch(() => '')]),
    ),
  )
}

let packing: Promise<string> | undefined
afterAll(async () => {
  if (packing) await rm(dirname(await packing), { recursive: true, force: true })
  packing = undefined
})

/** The sample skills as a packed library, which opens faster than their folder. The ids are the same. */
export function packedDemo(): Promise<string> {
  packing ??= mkdtemp(join(tmpdir(), 'skillshelf-demo-')).then(async folder => {
    const out = join(folder, 'skills')
    await cli(['pack', demo, '--out', out])
    return out
  })
  return packing
}

export interface Ran {
  code: number
  out: string
  err: string
  // biome-ignore lint/suspicious/noExplicitAny: parsed output of any command
  json(): any
}

/** Runs a command line in this process and captures its output. */
export async function cli(argv: readonly string[], io: Partial<Io> = {}): Promise<Ran> {
  let out = ''
  let err = ''
  const code = await run(argv, {
    stdout: text => {
      out += text
    },
    stderr: text => {
      err += text
    },
    cwd: tmpdir(),
    isTTY: false,
    ...io,
  })
  return { code, out, err, json: () => JSON.parse(out) }
}
