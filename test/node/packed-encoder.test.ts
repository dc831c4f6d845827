import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Embedder, openLibrary } from '../../src/exports/index.js'
import { transformers } from '../../src/exports/transformers.js'
import {
  resolveModel,
  type TransformersOptions,
} from '../../src/search/model/transformers/presets.js'
import { directory } from '../../src/source/directory/directory.js'
import { cli, demo, skill, temporaryFolder, two } from './cli-world.js'
import { createProject } from './vite-world.js'

/** The encoder of this repository in Node: packing and using its vectors. */

let encoder: Embedder
beforeAll(async () => {
  encoder = await transformers()()
})
afterAll(() => encoder?.close?.())

const vectorsIn = (folder: string): string[] =>
  readdirSync(folder).filter(name => name.endsWith('.vec'))

/** Upgrades a packed library, and returns it with the texts that were embedded. */
async function upgraded(folder: string) {
  const read: string[] = []
  const library = await openLibrary(directory(folder), { onDiagnostic: () => {} })
  const counting: Embedder = {
    ...encoder,
    embed: (texts, options) => {
      if (options?.kind === 'document') read.push(...texts)
      return encoder.embed(texts, options)
    },
    close: async () => {},
  }
  expect(await library.upgrade(counting, { cache: false })).toBe(true)
  return { library, read }
}

it('[BY-35] `pack --encoder` packs vectors that a library uses, and packing again embeds changed skills only', async () => {
  const cwd = temporaryFolder()
  const pack = ['pack', demo, '--out', 'out', '--encoder']
  const ran = await cli([...pack, '--json'], { cwd })
  expect(ran.code).toBe(0)
  const { summary } = ran.json()
  const out = join(cwd, 'out')
  const [file = ''] = vectorsIn(out)
  const { size } = statSync(join(out, file))
  expect(summary.parts.vectors).toBe(size)
  // 384 numbers, a scale and a key for each skill.
  expect(size - summary.skills * 396).toBeLessThan(200)

  const { library, read } = await upgraded(out)
  expect(library.snapshot.diagnostics.filter(({ code }) => code.startsWith('vectors'))).toEqual([])
  // One skill is compared: its description and its messages.
  expect(read).toEqual([expect.stringMatching(/^api design\. /), expect.any(String)])
  const message = 'I have to be in Tokyo on Monday, find me a seat on a plane'
  const { matches, model } = await library.search(message)
  expect([matches[0]?.name, model]).toEqual(['book-flight', `hybrid/1 ${encoder.id}`])
  await library.close()

  const again = await cli([...pack, '--json'], { cwd })
  expect(again.json().summary).toMatchObject({ written: 0, removed: 0 })
  expect(vectorsIn(out)).toEqual([file])
})

it('[BY-35] `pack` without it removes the vectors again', async () => {
  const cwd = temporaryFolder(two)
  await cli(['pack', '--out', 'out', '--encoder'], { cwd })
  expect(vectorsIn(join(cwd, 'out'))).toHaveLength(1)
  await cli(['pack', '--out', 'out'], { cwd })
  expect(vectorsIn(join(cwd, 'out'))).toEqual([])
})

it('[BY-35] a model that cannot be loaded stops the pack, which writes nothing', async () => {
  const cwd = temporaryFolder(two)
  const pack = ['pack', '--out', 'out', '--encoder-model', 'no-such-model']
  const ran = await cli([...pack, '--encoder-files', 'models'], { cwd })
  expect(ran).toMatchObject({ code: 2, err: expect.stringContaining('no-such-model') })
  expect(readdirSync(cwd)).toEqual(['skills'])
})

it('[BY-35] a build with Vite packs vectors', async () => {
  const at = createProject({
    'index.html': '<script type="module" src="./main.js"></script>',
    'main.js': "import 'virtual:skillshelf'",
    'skills/fly/SKILL.md': skill('fly', 'Books flights.'),
  })
  await build(at.config({ encoder }))
  const out = join(at.root, 'dist/skills')
  expect(vectorsIn(out)).toHaveLength(1)
  const { library, read } = await upgraded(out)
  expect(read).toEqual(['fly. Books flights.'])
  expect(library.snapshot.diagnostics).toEqual([])
  await library.close()
})

it('[BY-35] another way to read texts is another model', () => {
  const spaceOf = (more: TransformersOptions): string => resolveModel(more).space
  const preset = spaceOf({})
  expect(preset).toBe(encoder.id)
  const { traits } = resolveModel({})
  expect(spaceOf({ ...traits, languages: ['en'], unrelated: 0 })).toBe(preset)
  const others: TransformersOptions[] = [
    { pooling: 'cls' },
    { maxTokens: 64 },
    { prefixes: { query: '', document: '' } },
    { dtype: 'fp32' },
  ]
  expect(new Set([preset, ...others.map(spaceOf)]).size).toBe(5)
  expect(spaceOf({ model: 'all-MiniLM-L6-v2' })).toBe('transformers/Xenova/all-MiniLM-L6-v2/q8')
})
