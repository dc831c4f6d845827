import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { pack } from '../../src/library/store/pack/pack.js'
import { memory } from '../../src/source/memory.js'

const root = new URL('../..', import.meta.url)

/** Matches a message and prints the addresses of the modules that were loaded until then. */
const script = `
  import { register } from 'node:module'
  const hook = 'export const load = (url, context, next) => (process._rawDebug(url), next(url, context))'
  register('data:text/javascript,' + encodeURIComponent(hook))
  const { openLibrary } = await import('./dist/library/open-library.js')
  const { memory } = await import('./dist/source/memory.js')
  const files = JSON.parse(process.argv[1]).map(([path, bytes]) => [path, Buffer.from(bytes, 'base64')])
  const library = await openLibrary(memory(Object.fromEntries(files)), { embedder: false })
  const { matches } = await library.match('make slides from my notes')
  console.log(matches.map(({ name }) => name).join())
  process.exit()`

it('measures the size of openLibrary with every module that the first match of a packed library by words loads', async () => {
  const { 'size-limit': entries } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
  const ignored: string[] = entries[0].ignore
  const text = '---\nname: slides\ndescription: Makes slides from notes.\n---\n'
  const packed: [string, string][] = []
  for await (const { path, bytes } of pack(memory({ 'slides/SKILL.md': text })))
    packed.push([path, Buffer.from(bytes).toString('base64')])
  const args = ['--input-type=module', '--eval', script, JSON.stringify(packed)]
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: root })
  expect(stdout.trim()).toBe('slides')
  expect(stderr).toContain('/dist/search/match/corpus-counts.js')
  expect(
    stderr.split('\n').filter(url => ignored.some(name => url.endsWith(name.slice(1)))),
  ).toEqual([])
})
