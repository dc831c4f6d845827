import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { digestOf } from '../../src/core/digest.js'
import { type Embedder, type LocalLibrary, openLibrary } from '../../src/exports/index.js'
import { transformers } from '../../src/exports/transformers.js'
import { ENCODER_DIGESTS } from '../../src/search/model/transformers/digests.js'
import { packageFolder } from '../../src/search/model/transformers/node-files.js'
import { resolveModel } from '../../src/search/model/transformers/presets.js'
import { directory } from '../../src/source/directory/directory.js'
import { temporaryFolder } from '../folders.js'
import { copySamples, EVERYTHING, samples } from '../samples.js'

const folder = fileURLToPath(new URL('../../model/encoder/', import.meta.url))

/** Messages for `book-flight` of the samples. */
const MESSAGES = [
  ['en', 'I have to be in Tokyo on Monday, find me a seat on a plane'],
  ['zh', '我下周一要飞东京，帮我看看航班和座位'],
  ['ja', '月曜日に東京へ飛びたいので、飛行機の席を探して'],
  ['ko', '월요일에 도쿄로 가는 비행기 좌석을 찾아 줘'],
  ['es', 'Tengo que volar a Tokio el lunes, búscame un asiento en un avión'],
  ['de', 'Ich muss am Montag nach Tokio, such mir einen Platz im Flieger'],
  ['fr', "Je dois prendre l'avion pour Tokyo lundi, trouve-moi une place"],
  ['pt', 'Preciso de voar para Tóquio na segunda, procura-me um lugar no avião'],
  ['ru', 'Мне нужно в понедельник улететь в Токио, найди место в самолёте'],
] as const

/** Skills that are close to it, and others; all samples with `TEST_EVERYTHING`. */
const SKILLS = EVERYTHING
  ? samples
  : copySamples(
      'book-flight',
      'budget-planner',
      'calendar-sync',
      'email-writer',
      'gift-ideas',
      'pdf',
      'ppt',
      'recipe-planner',
      'translate-zh-en',
      'travel-itinerary',
      'weekly-report',
    )

/** The files that transformers.js reads. */
const READ = Object.keys(ENCODER_DIGESTS)

/** A folder of models with a copy of the encoder. */
function copyEncoder(): { models: string; fileOf: (name: string) => string } {
  const models = temporaryFolder()
  const copy = join(models, 'skillshelf-encoder')
  cpSync(folder, copy, { recursive: true })
  return { models, fileOf: name => join(copy, name) }
}

describe('skillshelf-encoder', () => {
  const there = process.cwd()
  let model: Embedder
  let library: LocalLibrary
  beforeAll(async () => {
    // The working directory is of a stranger, who has put another encoder there.
    const { models, fileOf } = copyEncoder()
    for (const name of READ) writeFileSync(fileOf(name), '{}')
    mkdirSync(join(models, 'node_modules'))
    renameSync(join(models, 'skillshelf-encoder'), join(models, 'node_modules/skillshelf-encoder'))
    process.chdir(models)
    model = await transformers()()
    library = await openLibrary(directory(SKILLS))
    await library.upgrade({ ...model, close: async () => {} }, { cache: false })
  })
  afterAll(async () => {
    process.chdir(there)
    await library?.close()
    await model?.close?.()
  })

  it('[BY-1] is the default model, found from this package and not from the working directory, and names its version', () => {
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    expect(resolveModel({}).version).toBe(version)
    expect(model).toMatchObject({
      id: `transformers/skillshelf-encoder@${version}/q4`,
      dimensions: 384,
    })
  })

  it('[BY-1] a package is found beside this one only', async () => {
    expect(await packageFolder('comlink')).toBe(
      fileURLToPath(new URL('../../node_modules/comlink', import.meta.url)),
    )
    const work = temporaryFolder({ 'node_modules/of-a-stranger/package.json': '{}' })
    process.chdir(work)
    expect(await packageFolder('of-a-stranger')).toBeUndefined()
  })

  it('[BY-1] has the digests of its files', () => {
    const digests = Object.fromEntries(
      READ.map(name => [name, digestOf(readFileSync(join(folder, name)))]),
    )
    expect(ENCODER_DIGESTS).toEqual(digests)
    const readable = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name =>
      /\.(?:json|onnx)$/.test(name),
    )
    expect(readable.filter(name => name !== 'package.json').sort()).toEqual([...READ].sort())
  })

  /** What someone makes of a file who can write to the folder. */
  const CHANGES: [string, (bytes: Buffer<ArrayBuffer>) => Uint8Array][] = [
    [
      'one flipped bit',
      bytes =>
        Buffer.from(bytes).fill((bytes.at(-9) as number) ^ 1, bytes.length - 9, bytes.length - 8),
    ],
    ['half of it zeros', bytes => Buffer.from(bytes).fill(0, bytes.length >> 1)],
    ['an end that is cut off', bytes => bytes.subarray(0, -1)],
    ['a byte more', bytes => Buffer.concat([bytes, Buffer.of(10)])],
    ['nothing', () => Buffer.alloc(0)],
  ]
  /** Every file with a flipped bit and one other change; with `TEST_EVERYTHING` with all of them. */
  const CHANGED = READ.flatMap((name, file) =>
    CHANGES.filter((_, at) => EVERYTHING || at === 0 || at === file + 1).map(
      ([what, change]) => [name, what, change] as const,
    ),
  )
  it.each(CHANGED)('[BY-1] is not used with another %s: %s', async (name, _, change) => {
    const { models, fileOf } = copyEncoder()
    writeFileSync(fileOf(name), change(readFileSync(fileOf(name))))
    const failure = {
      code: 'model-failed',
      message: expect.stringContaining(`${name} does not match its digest`),
    }
    await expect(transformers({ models })()).rejects.toMatchObject(failure)
  })

  it('[BY-1] a library answers without an encoder that was changed', async () => {
    const { models, fileOf } = copyEncoder()
    writeFileSync(fileOf('config.json'), '{}')
    const onFailure = vi.fn()
    await using other = await openLibrary({
      'a/SKILL.md': '---\nname: a\ndescription: Does things\n---\n',
    })
    expect(
      await other.upgrade(transformers({ models: `${models}/` }), { cache: false, onFailure }),
    ).toBe(false)
    expect(onFailure.mock.calls).toMatchObject([[{ code: 'model-unavailable' }]])
    expect((await other.search('things')).matches).toHaveLength(1)
  })

  it('[BY-1] reads no file that has no digest, and none that is missing', async () => {
    const { models, fileOf } = copyEncoder()
    cpSync(fileOf('onnx/model_q4.onnx'), fileOf('onnx/model.onnx'))
    await expect(transformers({ models, dtype: 'fp32' })()).rejects.toMatchObject({
      code: 'model-failed',
      message: expect.stringMatching(/onnx\/model\.onnx.*leave out "dtype"/),
    })
    rmSync(fileOf('tokenizer.json'))
    await expect(transformers({ models })()).rejects.toMatchObject({ code: 'model-failed' })
    // Whoever wants other weights says so.
    cpSync(join(folder, 'tokenizer.json'), fileOf('tokenizer.json'))
    const digests = { 'onnx/model.onnx': ENCODER_DIGESTS['onnx/model_q4.onnx'] }
    await (await transformers({ models, dtype: 'fp32', digests })()).close?.()
  })

  it('has at most 18 MB', () => {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(path =>
      join(folder, path),
    )
    const sizes = files.map(file => statSync(file)).map(file => (file.isFile() ? file.size : 0))
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(18_000_000)
    for (const name of ['LICENSE', 'NOTICE', 'CARD.md'])
      expect([name, existsSync(join(folder, name))]).toEqual([name, true])
  })

  it.each(MESSAGES)('[BY-1] finds a skill in English for a message in %s', async (_, message) => {
    const { matches, model: name } = await library.search(message)
    expect(name).toBe(`hybrid/1 ${model.id}`)
    // travel-itinerary is close: both are about a trip.
    expect(matches.slice(0, 2).map(match => match.name)).toContain('book-flight')
  })
})
