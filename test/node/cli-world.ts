import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { type Io, run } from '../../src/tools/cli/program.js'

import { temporaryFolder } from '../folders.js'
import { samples as demo } from '../samples.js'

export { demo, temporaryFolder }

/** The built command line, for tests of a process. */
export const main = fileURLToPath(new URL('../../dist/tools/cli/main.js', import.meta.url))

export function skill(
  name: string,
  description: string,
  body = '# Steps\n\nDo it well.\n',
): string {
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
  const files = entries
    .filter(entry => !entry.isDirectory())
    .map(entry => join(entry.parentPath, entry.name))
  return Object.fromEntries(
    await Promise.all(
      files
        .sort()
        .map(async file => [
          file.slice(folder.length + 1),
          await readFile(file, 'latin1').catch(() => ''),
        ]),
    ),
  )
}

let packing: Promise<unknown> | undefined
const packed = join(temporaryFolder(), 'skills')

/** The sample skills as a packed library, which opens faster than their folder. The ids are the same. */
export async function packedDemo(): Promise<string> {
  packing ??= cli(['pack', demo, '--out', packed])
  await packing
  return packed
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

/** Expects that a command exits with 2, prints no result, and reports this. */
export async function expectRefusal(
  says: string | RegExp,
  argv: readonly string[],
  io: Partial<Io> = {},
) {
  const { code, out, err } = await cli(argv, io)
  expect({ code, out }).toEqual({ code: 2, out: '' })
  expect(err).toMatch(says)
}

/** Installs the skills of an address or folder with `npx skills add`. Returns the folder of the installed skills. */
export async function installSkills(from: string, cwd = temporaryFolder()): Promise<string> {
  const program = fileURLToPath(new URL('../../node_modules/skills/bin/cli.mjs', import.meta.url))
  const args = [program, 'add', from, '--skill', '*', '--agent', 'claude-code', '--copy', '-y']
  const env = { PATH: process.env['PATH'] ?? '', HOME: cwd, DISABLE_TELEMETRY: '1', CI: '1' }
  await promisify(execFile)(process.execPath, args, { cwd, env })
  return join(cwd, '.claude/skills')
}
