import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createBundled } from '../../src/search/model/bundled/bundled.js'
import type { ModelPlace } from '../../src/search/model/bundled/model-files.js'
import { readModelStart } from '../../src/search/model/format.js'
import { isMissing, piecedRows } from '../../src/search/model/part-rows.js'
import { PARTS, type Part } from '../../src/search/model/script-parts.js'
import type { SkillModel } from '../../src/search/model/skill-model.js'
import { mayHave, writeFilter } from '../../src/search/model/term-filter.js'
import { digestsModule } from '../../training/model/digests.js'
import type { ModelFiles } from '../../training/model/files.js'
import { divideModel } from '../../training/model/rows.js'

type Bytes = Uint8Array<ArrayBuffer>

const file = (path: string): Bytes =>
  new Uint8Array(readFileSync(new URL(`../../${path}`, import.meta.url)))
const parts = Object.fromEntries(PARTS.map(part => [part, file(`model/${part}.bin`)])) as ModelFiles
const rows = new Map<string, Bytes>()
for (const part of PARTS) {
  const { start, pieces } = divideModel(parts[part])
  rows.set(`${part}.bin`, start)
  for (const [digest, bytes] of pieces) rows.set(`${part}-${digest}.bin`, bytes)
}
const readPart = async (part: Part): Promise<Bytes> => parts[part]
const whole = await createBundled({ readPart })({ parts: 'all' })

/** A place that counts what is read of it. */
function countingPlace(change: Partial<ModelPlace> = {}) {
  const read: string[] = []
  const kilobytes = { value: 0 }
  const count = <Name extends string>(name: Name, bytes: Bytes | undefined): Bytes | undefined => {
    read.push(name)
    kilobytes.value += (bytes?.length ?? 0) / 1_024
    return bytes
  }
  const { readPart: part = readPart, readRows: row = async (name: string) => rows.get(name) } =
    change
  const place: ModelPlace = {
    readPart: async name => count(`${name}.bin`, await part(name)),
    readRows: async name => count(`rows/${name}`, await row(name)),
  }
  return { place, read, kilobytes }
}

function expectSame(model: SkillModel, message: string): void {
  expect([...model.vectorOf(message)]).toEqual([...whole.vectorOf(message)])
  expect(model.coverage?.(message)).toBe(whole.coverage?.(message))
}

const MESSAGES = [
  'Turn these interview notes into a slide deck',
  'ich möchte einen Flug nach Lissabon buchen',
  'quiero una receta de lentejas para mañana',
  "peux-tu résumer ce contrat en une page s'il te plaît",
  'quero reservar um voo para amanhã de manhã',
  'нужно перевести договор на английский',
  '帮我把这份合同翻译成英文',
  '航空券を予約したいです',
  '비행기표를 예약하고 싶어요',
  'zzzxq unknownword',
  '',
]

describe('the bundled model by rows', () => {
  it.each(MESSAGES)('[BY-34] has the same vector as the whole model: %s', async message => {
    const { place, read, kilobytes } = countingPlace()
    const model = await createBundled(place)()
    await model.prepare?.(message)
    expectSame(model, message)
    expect(read.filter(name => !name.startsWith('rows/'))).toEqual([])
    expect(kilobytes.value).toBeLessThan(200)
  })

  it.each(PARTS)('[BY-34] the first term of each piece of %s is in that piece', part => {
    const { start, pieces } = divideModel(parts[part])
    const opened = piecedRows(readModelStart(start))
    const { firstTerms } = readModelStart(start)
    expect(firstTerms).toHaveLength(pieces.size)
    for (const [piece, term] of firstTerms.entries()) {
      expect(opened.find(term)).toEqual({ part, piece })
      opened.add(piece, pieces.get(opened.digestOf(piece)) as Bytes)
      expect(isMissing(opened.find(term))).toBe(false)
    }
  })

  it('[BY-34] runs of characters that the model does not have need no piece', async () => {
    const { place, read } = countingPlace()
    const model = await createBundled(place)()
    await model.prepare?.('龘靐齉爩鱻麤龗灪')
    expect(read).toEqual(['rows/latin.bin', 'rows/han.bin'])
  })

  it('[BY-34] reads a piece once, for every model of a place', async () => {
    const { place, read } = countingPlace()
    const load = createBundled(place)
    const [first, second] = [await load(), await load()]
    await Promise.all([first.prepare?.('termination letter'), first.prepare?.('a letter')])
    await second.prepare?.('termination letter')
    const seen = [...read]
    await first.prepare?.('termination letter')
    expect(read).toEqual(seen)
    expect(new Set(read).size).toBe(read.length)
    await first.prepare?.('quarterly figures')
    expect(read.length).toBeGreaterThan(seen.length)
  })

  it('[BY-34] skills load whole parts, and messages read no rows of them afterwards', async () => {
    const { place, read } = countingPlace()
    const model = await createBundled(place)()
    const skill = { name: 'contracts', description: 'Reviews 合同 and NDAs.', body: 'Read it.' }
    await model.prepare?.([skill])
    expect([...model.skillVector(skill, new Float32Array(128))]).toEqual([
      ...whole.skillVector(skill, new Float32Array(128)),
    ])
    expect(read).toEqual(['rows/latin.bin', 'latin.bin', 'han.bin'])
    await model.prepare?.('请审查这份保密协议 today')
    expect(read).toHaveLength(3)
  })

  it('[BY-34] parts that are named are whole at once', async () => {
    const { place, read } = countingPlace()
    await createBundled(place)({ parts: ['latin', 'han'] })
    expect(read.sort()).toEqual(['han.bin', 'latin.bin'])
  })

  it('[BY-34] a message with many rare words loads the whole part', async () => {
    const { place, read } = countingPlace()
    const model = await createBundled(place)()
    const message = 'abcdefghijklmnopqrstuvwxyz'
      .split('')
      .flatMap(a => ['ad', 'en', 'ist', 'or'].map(end => `${a}${end}`))
      .join(' ')
    await model.prepare?.(message)
    expectSame(model, message)
    expect(read).toEqual(['rows/latin.bin', 'latin.bin'])
  })

  it.each<[string, Partial<ModelPlace>]>([
    ['no rows', { readRows: async () => undefined }],
    ['rows that cannot be read', { readRows: () => Promise.reject(new Error('offline')) }],
    [
      'start files without their pieces',
      { readRows: async name => (name.includes('-') ? undefined : rows.get(name)) },
    ],
    [
      'a damaged piece',
      {
        readRows: async name => {
          const bytes = rows.get(name)?.slice()
          if (bytes && name.includes('-')) bytes[bytes.length - 9] = (bytes.at(-9) ?? 0) ^ 1
          return bytes
        },
      },
    ],
    [
      'a page in place of every file of rows',
      { readRows: async () => new TextEncoder().encode('<!doctype html>') },
    ],
  ])('[BY-34] a place with %s gives the whole parts', async (_, change) => {
    const { place, read } = countingPlace(change)
    const model = await createBundled(place)()
    for (const message of ['terminate the agreement', '帮我订一张机票']) {
      await model.prepare?.(message)
      expectSame(model, message)
    }
    expect(read).toContain('latin.bin')
    expect(read).toContain('han.bin')
  })

  it('[BY-34] a message whose rows cannot be loaded has no vector, until they can', async () => {
    let isOffline = false
    const { place } = countingPlace({
      readPart: async part => (isOffline ? undefined : parts[part]),
      readRows: async name => (isOffline ? undefined : rows.get(name)),
    })
    const model = await createBundled(place)()
    isOffline = true
    const message = 'terminate the agreement'
    await expect(model.prepare?.(message)).rejects.toMatchObject({ code: 'source-failed' })
    expect([model.coverage?.(message), ...model.vectorOf(message)]).toEqual(new Array(129).fill(0))
    isOffline = false
    await model.prepare?.(message)
    expectSame(model, message)
  })

  it('[BY-34] the digests are those of the files', () =>
    expect(digestsModule(parts)).toBe(
      readFileSync(new URL('../../src/search/model/bundled/digests.ts', import.meta.url), 'utf8'),
    ))
})

describe('a filter of terms', () => {
  const terms = Array.from({ length: 5_000 }, (_, at) => `${String.fromCharCode(0x4e00 + at)}票`)

  it('[BY-34] has every term, and few others', () => {
    const filter = writeFilter(terms)
    expect(terms.filter(term => !mayHave(filter, term))).toEqual([])
    const others = terms.map(term => `${term}x`).filter(term => mayHave(filter, term))
    expect(others.length).toBeLessThan(terms.length * 0.02)
  })
})
