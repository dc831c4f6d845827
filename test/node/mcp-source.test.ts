import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { openLibrary } from '../../src/exports/index.js'
import { mcp } from '../../src/exports/sources/mcp.js'
import { writeFiles } from '../folders.js'
import { skill, temporaryFolder } from './cli-world.js'
import { serving } from './serve-world.js'

/** `mcp` over real HTTP: our own server, and two in Python. */

const FILES = {
  'tea/SKILL.md': skill('tea', 'Brews tea.'),
  'tea/references/leaves.md': 'Oolong.',
}
const QUIET = { onDiagnostic: () => {}, embedder: false } as const
const python = fileURLToPath(new URL('../../node_modules/.mcp-clients/bin/python', import.meta.url))
const program = fileURLToPath(new URL('mcp-servers.py', import.meta.url))

it('[BY-37] reads our own server over HTTP', async () => {
  const cwd = temporaryFolder()
  writeFiles(join(cwd, 's'), FILES)
  const { address } = await serving(['s', '--api'], cwd)
  await using library = await openLibrary(mcp(`${address}mcp`, { name: 'own' }), QUIET)
  expect(library.snapshot.skills.map(({ id }) => id)).toEqual(['own/s/tea'])
  const { bytes } = await library.read('tea', 'references/leaves.md')
  expect(new TextDecoder().decode(bytes)).toBe('Oolong.')
})

/** Starts a server and waits until it answers. */
async function startPython(kind: string, folder: string): Promise<string> {
  const child = spawn(python, [program, kind, folder], { stdio: ['ignore', 'pipe', 'ignore'] })
  onTestFinished(() => void child.kill())
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const address = /http:\S+/.exec(line.toString())?.[0] ?? ''
  while (child.exitCode === null) {
    if (await fetch(address).catch(() => undefined)) return address
  }
  throw new Error(`The server ended with ${child.exitCode}`)
}

it.skipIf(!existsSync(python)).each([
  ['fastmcp', ['references/leaves.md']],
  ['official', []],
])('[BY-37] reads the server %s in Python (needs the Python clients)', async (kind, files) => {
  const address = await startPython(kind, temporaryFolder(FILES))
  await using library = await openLibrary(mcp(address, { name: kind }), QUIET)
  expect(library.snapshot.skills.map(({ id }) => id)).toEqual([`${kind}/tea`])
  const tea = await library.get('tea')
  expect(tea.text).toBe(FILES['tea/SKILL.md'])
  expect(tea.files.map(({ path }) => path)).toEqual(files)
  for (const path of files) {
    const { bytes } = await library.read('tea', path)
    expect(new TextDecoder().decode(bytes)).toBe('Oolong.')
  }
})
