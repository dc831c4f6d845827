import { describe, expect, it } from 'vitest'
import type { Progress } from '../../src/core/progress.js'
import { multilingual } from '../../src/exports/model.js'
import { normalizeText } from '../../src/search/model/multilingual/normalize-text.js'
import { createSegmenter } from '../../src/search/model/multilingual/pieces.js'
import { plainVector, tinyModel } from './multilingual-world.js'

const { file, weights } = await tinyModel()
const pieces = new TextDecoder().decode(weights.text).split('\n')
const segment = createSegmenter(pieces, weights.scores, { row: 0, score: weights.head.unknownScore })
const rowsOf = (text: string): number[] => [1, ...segment(normalizeText(text)), 2]
const greatest = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Math.max(...Array.from(a, (value, at) => Math.abs(value - (b[at] ?? Number.NaN))))

describe('multilingual', () => {
  it.each([
    ['teapots', ['▁tea', 'pot', 's']],
    ['  tea \n pot ', ['▁tea', '▁', 'pot']],
    ['茶🫖', ['▁茶', '🫖']],
    ['tea🚀pot', ['▁tea', '', 'pot']],
    ['ｔｅａ', ['▁tea']],
    ['tea\u200bpot～', ['▁tea', '▁', 'pot', '']],
    ['', []],
    [' \u3000', []],
  ])('[BY-1] multilingual splits %j into its most probable pieces', (text, expected) => {
    expect(segment(normalizeText(text)).map(row => pieces[row])).toEqual(expected)
  })

  it.each([true, false])('[BY-1] multilingual computes the network (WebAssembly: %s)', async wasm => {
    const model = await multilingual({ file, wasm })()
    expect(model).toMatchObject({ dimensions: 16, languages: ['en', 'zh'] })
    const texts = ['tea', 'teapots 茶🫖 tea', 'pots 🚀 stop', '']
    const vectors = await model.embed(texts)
    for (const [at, text] of texts.slice(0, -1).entries())
      expect(greatest(plainVector(weights, rowsOf(text)), vectors.subarray(at * 16, (at + 1) * 16))).toBeLessThan(1e-4)
    expect([...vectors.subarray(3 * 16)]).toEqual(Array.from({ length: 16 }, () => 0))
  })

  it('[BY-1] multilingual reads a long text to its end', async () => {
    const model = await multilingual({ file })()
    const long = 'tea '.repeat(400)
    const [a, b] = await Promise.all([long, `${long}${'🫖 '.repeat(100)}`].map(text => model.embed([text])))
    expect(Math.hypot(...(a as Float32Array))).toBeCloseTo(1, 4)
    expect(greatest(a as Float32Array, b as Float32Array)).toBeGreaterThan(0.01)
  })

  it('[CARD-2] multilingual reports progress, can be canceled between texts, and rejects after close', async () => {
    const model = await multilingual({ file })()
    const steps: Progress[] = []
    await model.embed(
      Array.from({ length: 11 }, () => 'tea'),
      { onProgress: step => steps.push(step) },
    )
    expect(steps.map(({ done, total }) => [done, total])).toEqual([
      [8, 11],
      [11, 11],
    ])
    const abort = new AbortController()
    const many = model.embed(
      Array.from({ length: 20 }, () => 'tea'),
      {
        signal: abort.signal,
        onProgress: () => abort.abort(),
      },
    )
    await expect(many).rejects.toMatchObject({ code: 'aborted' })
    await expect(multilingual({ file })({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'aborted' })
    await model.close?.()
    await expect(model.embed(['tea'])).rejects.toMatchObject({ code: 'closed' })
  })

  it('[BY-1] multilingual refuses a file that is damaged, cut off, of another format or with another digest', async () => {
    const damaged = file.slice()
    damaged[damaged.length >> 1] = (damaged[damaged.length >> 1] as number) ^ 1
    const other = await tinyModel({ format: 'skillshelf-multilingual/0' })
    const short = await tinyModel({ narrow: 7 })
    const digest = `sha256:${'0'.repeat(64)}`
    const cases: [Parameters<typeof multilingual>[0], string][] = [
      [{ file: damaged }, 'is damaged'],
      [{ file: file.slice(0, file.length - 1000) }, 'is not a file of the multilingual model'],
      [{ file: new TextEncoder().encode('<!doctype html>') }, 'is not a file of the multilingual model'],
      [{ file: other.file }, 'is not a file of the multilingual model'],
      [{ file: short.file }, 'is incomplete'],
      [{ file, digest }, 'does not match its digest'],
    ]
    for (const [options, problem] of cases)
      await expect(multilingual(options)()).rejects.toMatchObject({
        code: 'model-failed',
        message: expect.stringContaining(problem),
        details: { hint: expect.stringContaining('npx skillshelf model multilingual') },
      })
  })
})
