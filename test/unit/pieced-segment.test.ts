import { expect, it } from 'vitest'
import { memory } from '../../src/exports/index.js'
import { createSegmentBuilder } from '../../src/search/index/build.js'
import { openSegment, type Segment } from '../../src/search/index/open.js'
import { eachPosting } from '../../src/search/index/postings.js'
import { readPiece } from '../../src/search/pieces/piece-format.js'
import { openPieces, type PiecedSegment } from '../../src/search/pieces/pieced-segment.js'
import { writePieces } from '../../src/search/pieces/write-pieces.js'
import { manySkills, openMany, packMany } from '../pieces-world.js'

/** Skills with these descriptions in pieces, and their files. */
async function piecesOf(descriptions: readonly string[]) {
  const builder = createSegmentBuilder({})
  for (const description of descriptions) builder.add({ name: '', description, tags: [], body: '' })
  const segment = openSegment(builder.finish()) as Segment
  const { list, others } = writePieces(
    descriptions.map((_, skill) => ({
      segment,
      skill,
      line: String(skill),
      names: [],
      tags: [],
      folders: [],
    })),
  )
  const pieces = openPieces(await readPiece(list.bytes)) as PiecedSegment
  return { pieces, others, files: new Map(others.map(({ file, bytes }) => [file, bytes])) }
}

it('[BY-33] words that the same skills have are in one file of postings, and are found', async () => {
  const skills = 5_000
  const { pieces, others, files } = await piecesOf(
    Array.from({ length: skills }, () => 'zebra quagga'),
  )
  for (const word of ['zebra', 'quagga']) {
    const ask = () => pieces.terms.lookUp(() => pieces.segment.lexicon.find(word))
    for (const file of ask().missing) {
      const content = await readPiece(files.get(file) as Uint8Array<ArrayBuffer>)
      expect(content && pieces.add(file, content)).toBe(true)
    }
    const { found, missing } = ask()
    expect(missing).toEqual([])
    let read = 0
    if (found) eachPosting(pieces.segment, found, () => read++)
    expect([found?.count, read]).toEqual([skills, 4_096])
  }
  expect(files.size).toBeLessThan(others.length)
})

it('[BY-33] the start of a word reads few files, or none', async () => {
  const wordOf = (at: number) => `co${String.fromCharCode(97 + (at % 26))}${at.toString(36)}x`
  const { pieces } = await piecesOf(Array.from({ length: 8_000 }, (_, at) => wordOf(at)))
  const filesFor = (start: string) =>
    pieces.terms.lookUp(() => pieces.segment.lexicon.findPrefix(start, 24, () => undefined))
  expect(filesFor('co').missing).toEqual([])
  expect([1, 2]).toContain(filesFor(wordOf(4_000)).missing.length)
})

it('[BY-33] an entry that is long is read whole', async () => {
  const paths = Array.from({ length: 100 }, (_, at) => `${'folder/'.repeat(30)}${at}/**`)
  const fields = `name: long\ndescription: Finds paths.\npaths: [${paths.join(', ')}]`
  const skills = { ...manySkills(), 'long/SKILL.md': `---\n${fields}\n---\nFind them.\n` }
  await using library = await openMany(memory(await packMany({}, skills), { name: 'many' }))
  const [found] = await library.list({ ids: ['many/long'] })
  expect(found?.paths).toHaveLength(100)
  expect(library.snapshot.diagnostics).toEqual([])
})
