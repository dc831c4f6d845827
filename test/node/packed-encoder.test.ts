import { readdirSync, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'vite'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  type Embedder,
  http,
  type LibraryOptions,
  memory,
  openLibrary,
  type SkillSource,
} from '../../src/exports/index.js'
import { bundled } from '../../src/exports/model.js'
import { transformers } from '../../src/exports/transformers.js'
import { encodeVector, writePackedVectors } from '../../src/search/index/packed-vectors.js'
import {
  resolveModel,
  type TransformersOptions,
} from '../../src/search/model/transformers/presets.js'
import { directory } from '../../src/source/directory/directory.js'
import { packedFiles } from '../packed-files.js'
import { copySamples } from '../samples.js'
import { startPublishServer, TOKEN } from './cli-publish-fixtures.js'
import { cli, skill, temporaryFolder, two } from './cli-world.js'
import { createProject } from './vite-world.js'

/** The encoder of this repository in Node: packing and using its vectors. */

let encoder: Embedder
beforeAll(async () => {
  encoder = await transformers()()
})
afterAll(() => encoder?.close?.())

/** Enough skills for the messages below. Embedding all samples takes five times as long. */
const some = copySamples(
  'api-design',
  'book-flight',
  'excel-report',
  'legal-letter',
  'ppt',
  'recipe-planner',
  'translate-zh-en',
  'travel-itinerary',
)

const vectorsIn = (folder: string): string[] =>
  readdirSync(folder).filter(name => name.endsWith('.vec'))

/** Upgrades a packed library, and returns it with the texts that were embedded. */
async function upgraded(source: SkillSource, options: LibraryOptions = {}) {
  const read: string[] = []
  const library = await openLibrary(source, { onDiagnostic: () => {}, ...options })
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
  const pack = ['pack', some, '--out', 'out', '--encoder']
  const ran = await cli([...pack, '--json'], { cwd })
  expect(ran.code).toBe(0)
  const { summary } = ran.json()
  const out = join(cwd, 'out')
  const [file = ''] = vectorsIn(out)
  const { size } = statSync(join(out, file))
  expect(summary.parts.vectors).toBe(size)
  // 384 numbers, a scale and a key for each skill.
  expect(size - summary.skills * 396).toBeLessThan(200)

  const { library, read } = await upgraded(directory(out))
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

it('[BY-35] [BY-33] in pieces, the vectors are read with the skills that a message needs', async () => {
  const files = await packedFiles(directory(some), {
    embedder: await bundled(),
    encoder: { ...encoder, close: async () => {} },
    pieces: true,
  })
  const source = memory(files, { name: 'demo' })
  const { library, read } = await upgraded(source)
  const { library: whole } = await upgraded(source, { whole: true })
  const messages = [
    'I have to be in Tokyo on Monday, find me a seat on a plane',
    'the numbers in this spreadsheet look wrong',
    '帮我把这份合同翻译成英文',
  ]
  for (const message of messages) {
    const [found, wanted] = [await library.search(message), await whole.search(message)]
    expect([found.model, found.matches[0]?.name]).toEqual([
      `hybrid/1 ${encoder.id}`,
      wanted.matches[0]?.name,
    ])
    // Rivals that are not read do not count.
    const [score = 0, ofWhole = 0] = [found, wanted].map(({ matches }) => matches[0]?.score)
    expect(Math.abs(score - ofWhole)).toBeLessThan(0.1)
  }
  // One skill is compared: its description and its messages.
  expect(read.length).toBeLessThan(3)
  expect(library.page).toBeDefined()
  await Promise.all([library.close(), whole.close()])
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

it('[BY-35] `publish --encoder` sends vectors of changed skills, which a store keeps that cannot compute them', async () => {
  const cwd = temporaryFolder(two)
  const server = await startPublishServer()
  expect((await server.publish(cwd)).out).toBe('2 put\n')
  // They had none.
  expect((await server.publish(cwd, ['--encoder'])).out).toBe('2 replaced\n')
  expect((await server.publish(cwd, ['--encoder'])).out).toBe('2 as they were\n')
  await writeFile(join(cwd, 'skills/b/SKILL.md'), skill('b', 'Bakes cakes.'))
  expect((await server.publish(cwd, ['--encoder'])).out).toBe('1 replaced, 1 as it was\n')
  const { library, read } = await upgraded(http(server.address))
  // One skill of each segment is compared.
  expect(read.sort()).toEqual(['a. Mends bicycles.', 'b. Bakes cakes.'])
  expect(library.snapshot.diagnostics).toEqual([])
  await library.close()

  const alone = temporaryFolder({ 'cake/SKILL.md': skill('cake', 'Bakes cakes.') })
  const other = await startPublishServer()
  expect((await other.publish(join(alone, 'cake'), ['.', '--encoder'])).out).toBe('1 put\n')
  expect((await other.publish(join(alone, 'cake'), ['.', '--encoder'])).out).toBe('1 as it was\n')
  const opened = await upgraded(http(other.address))
  expect(opened.library.snapshot.skills.map(({ path }) => path)).toEqual(['cake'])
  expect([opened.read, opened.library.snapshot.diagnostics]).toEqual([['cake. Bakes cakes.'], []])
  await opened.library.close()
})

it('[BY-35] vectors of an upload that are damaged or of other texts are left out', async () => {
  const { writeArchive } = await import('../../src/source/archive/write.js')
  const server = await startPublishServer()
  const upload = async (vectors: Uint8Array) => {
    const files = { 'a/SKILL.md': skill('a', 'Mends bicycles.'), 'skillshelf.vec': vectors }
    const body = await writeArchive(files, { format: 'zip' })
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/zip' }
    const sent = await fetch(`${server.address}v1/store`, { method: 'POST', body, headers })
    expect(sent.status).toBe(200)
  }
  const row = {
    key: '0123456789abcdef',
    vector: encodeVector(new Float32Array(384).fill(1 / 19.6)),
  }
  const foreign = { space: encoder.id, dimensions: 384, languages: ['en'], skills: [row] }
  for (const vectors of [new Uint8Array(40), writePackedVectors(foreign)]) {
    await upload(vectors)
    const { library, read } = await upgraded(http(server.address))
    expect(library.snapshot.skills.map(({ name }) => name)).toEqual(['a'])
    expect([read, library.snapshot.diagnostics]).toEqual([['a. Mends bicycles.'], []])
    await library.close()
  }
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
  const { library, read } = await upgraded(directory(out))
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
