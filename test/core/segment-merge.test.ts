import { describe, expect, it } from 'vitest'
import { randomFrom } from '../../bench/random.js'
import { createSegmentBuilder, type SegmentDocument } from '../../src/search/index/build.js'
import { type MergePart, mergeSegments } from '../../src/search/index/merge.js'
import { openSegment, type Segment } from '../../src/search/index/open.js'
import { localMatcher } from '../../src/search/match/hybrid.js'
import type { LiveSegment } from '../../src/search/match/skill-match.js'

const WORDS = [
  ...'make slides launch deck extract tables pdf invoice report weekly review code GitHub café'.split(
    ' ',
  ),
  ...'数据分析 幻灯片 写邮件 スライド 발표자료 𠀀𪜶'.split(' '),
  ...Array.from({ length: 150 }, (_, index) => `w${index.toString(36)}`),
]

const textsFrom = (random: () => number) => (words: number) =>
  Array.from({ length: words }, () => WORDS[Math.floor(random() ** 2 * WORDS.length)]).join(' ')

function generate(count: number, seed: number): SegmentDocument[] {
  const random = randomFrom(seed)
  const text = textsFrom(random)
  return Array.from({ length: count }, () => ({
    name: text(1 + Math.floor(random() * 2)),
    ...(random() < 0.3 ? { displayName: text(2) } : {}),
    description: text(Math.floor(random() * 20)),
    tags: random() < 0.5 ? [text(1)] : [],
    body: text(Math.floor(random() * 60)),
  }))
}

function build(documents: readonly SegmentDocument[]): Uint8Array<ArrayBuffer> {
  const builder = createSegmentBuilder()
  for (const one of documents) builder.add(one)
  return builder.finish()
}

interface Piece {
  documents: SegmentDocument[]
  dead: Set<number>
}

/** Parts with about a third of their skills dead. */
function pieces(sizes: readonly number[], seed: number): Piece[] {
  const random = randomFrom(seed)
  return sizes.map((size, index) => ({
    documents: generate(size, seed * 100 + index),
    dead: new Set(Array.from({ length: size }, (_, skill) => skill).filter(() => random() < 0.3)),
  }))
}

const partsOf = (some: readonly Piece[]): MergePart[] =>
  some.map(({ documents, dead }) => ({ segment: openSegment(build(documents)) as Segment, dead }))
const liveOf = (some: readonly Piece[]): SegmentDocument[] =>
  some.flatMap(({ documents, dead }) => documents.filter((_, skill) => !dead.has(skill)))

async function rank(
  segments: readonly LiveSegment[],
  messages: readonly string[],
): Promise<unknown[]> {
  const matcher = localMatcher()
  await matcher.update({ revision: '1', segments })
  const results = await Promise.all(
    messages.map(message => matcher.match({ message }, { limit: 50 })),
  )
  return results.map(({ matches }) =>
    matches.map(({ id, score, signals }) => [id, score, signals.relevance]),
  )
}

const SHAPES: [what: string, sizes: number[], seed: number][] = [
  ['one part', [30], 1],
  ['two parts', [40, 17], 2],
  ['many small parts', [1, 2, 1, 5, 1, 1, 16, 3], 3],
  ['an empty part', [12, 0, 12], 4],
]

describe('merging segments', () => {
  it.each(SHAPES)(
    '[BY-1] writes the bytes of a fresh build of the live skills: %s',
    (_, sizes, seed) => {
      const some = pieces(sizes, seed)
      expect(mergeSegments(partsOf(some))).toEqual(build(liveOf(some)))
    },
  )

  it.each(SHAPES)('[BY-1] ranks like its parts: %s', async (_, sizes, seed) => {
    const some = pieces(sizes, seed)
    const ids = some.map(({ documents }, part) => documents.map((_, skill) => `${part}/${skill}`))
    const parts = some.map(({ documents, dead }, part): LiveSegment => {
      return {
        key: String(part),
        bytes: build(documents),
        ids: ids[part] as string[],
        dead: [...dead],
      }
    })
    const live = some.flatMap(({ dead }, part) =>
      (ids[part] as string[]).filter((_, skill) => !dead.has(skill)),
    )
    const merged: LiveSegment = {
      key: 'merged',
      bytes: mergeSegments(partsOf(some)),
      ids: live,
      dead: [],
    }
    const text = textsFrom(randomFrom(seed))
    const messages = Array.from({ length: 20 }, () => text(5))
    const expected = await rank(parts, messages)
    expect(expected.flat().length).toBeGreaterThan(20)
    expect(await rank([merged], messages)).toEqual(expected)
  })

  it('can be merged again', () => {
    const some = pieces([9, 9, 9], 5)
    const [first, second, third] = partsOf(some) as [MergePart, MergePart, MergePart]
    const half = openSegment(mergeSegments([first, second])) as Segment
    expect(mergeSegments([{ segment: half, dead: new Set() }, third])).toEqual(build(liveOf(some)))
  })

  it.each<[string, string]>([
    ['a part of a camelCase word longer than a page', `${'x'.repeat(5_000)}Yes`],
    ['a byte order mark', '\ufeffpdf'],
    ['halves of characters', '𠀀𪜶 \ud840\ud83d'],
    ['line breaks', 'a\nb'],
  ])('keeps %s', (_, odd) => {
    const documents = [{ name: odd, description: odd, tags: [odd], body: odd }, ...generate(3, 6)]
    const segment = openSegment(build(documents)) as Segment
    expect(mergeSegments([{ segment, dead: new Set() }])).toEqual(build(documents))
  })

  it.each<[string, readonly Piece[]]>([
    ['nothing', []],
    ['only the dead', [{ documents: generate(2, 7), dead: new Set([0, 1]) }]],
  ])('gives an empty segment of %s', (_, some) => {
    expect(mergeSegments(partsOf(some))).toEqual(build([]))
  })
})
