import { afterEach, describe, expect, it, vi } from 'vitest'
import { deflate } from '../../src/core/deflate.js'
import { digestOf, shortDigest } from '../../src/core/digest.js'
import { memory, openLibrary } from '../../src/exports/index.js'
import { openPackedSegment, readPackedSegment } from '../../src/library/catalog/packed-segment.js'
import { segmentFile } from '../../src/library/store/pack/segment-file.js'
import { packedFiles } from '../packed-files.js'
import { skill } from '../skill-file.js'

afterEach(() => vi.unstubAllGlobals())

const SKILLS = memory({
  'deck/SKILL.md': skill('deck', 'Makes slides for a talk. Use when someone gives a talk.'),
  'tea/SKILL.md': skill('tea', 'Brews oolong in a pot. Use when someone wants tea.'),
})

/** A source that has the bytes under the name that belongs to them. */
function sourceOf(bytes: Uint8Array<ArrayBuffer>) {
  const file = `${shortDigest(digestOf(bytes))}.seg`
  return { file, source: memory({ [file]: bytes }) }
}

describe('the segment of a packed library', () => {
  it('[BY-33] is deflated where it is small', async () => {
    const files = await packedFiles(SKILLS)
    const file = Object.keys(files).find(path => path.endsWith('.seg')) as string
    const stored = files[file] as Uint8Array<ArrayBuffer>
    const inflated = await readPackedSegment(memory(files), file, undefined)
    expect(stored.length).toBeLessThan(inflated.length * 0.75)
    expect((await openPackedSegment(file, stored)).length).toBe(2)
    expect((await openPackedSegment(file, inflated)).length).toBe(2)
    const large = await segmentFile(new Uint8Array(524_289))
    expect(large.bytes).toHaveLength(524_289)
  })

  it('[BY-33] is the same where the engine inflates nothing', async () => {
    const files = await packedFiles(SKILLS)
    const file = Object.keys(files).find(path => path.endsWith('.seg')) as string
    const natively = await readPackedSegment(memory(files), file, undefined)
    vi.stubGlobal('DecompressionStream', undefined)
    expect(await readPackedSegment(memory(files), file, undefined)).toEqual(natively)
    await using library = await openLibrary(memory(files))
    expect(library.snapshot.diagnostics).toEqual([])
    expect((await library.match('brew oolong')).matches[0]?.name).toBe('tea')
  })

  it.each([
    ['is longer than it says', 99],
    ['is shorter than it says', 101],
  ])('[BY-22] is read as it is where it %s', async (_, size) => {
    const bytes = deflate(new Uint8Array(100))
    new DataView(bytes.buffer).setUint32(0, size, true)
    const { source, file } = sourceOf(bytes)
    expect(await readPackedSegment(source, file, undefined)).toEqual(bytes)
    vi.stubGlobal('DecompressionStream', undefined)
    expect(await readPackedSegment(source, file, undefined)).toEqual(bytes)
  })
})
