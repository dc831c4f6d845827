import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { memory, openLibrary } from '../../src/exports/index.js'
import { createBundled } from '../../src/search/model/bundled/bundled.js'
import { PARTS } from '../../src/search/model/script-parts.js'
import { EVERYTHING } from '../samples.js'
import * as packed from './packed-attacks.js'

/**
 * Attacks, with the number of inputs and what became of them. None throws, hides or renames a skill of another source, brings back a
 * deleted one, or gives a score outside 0 to 1. A packer who corrects all digests can still choose how its own skills rank, as it can by
 * their text. The numbers change with the format.
 */
const ATTACKS: [string, packed.Attacks, Partial<Record<packed.Outcome, number>>][] = [
  ['a flipped bit in some bytes of its catalog', packed.catalogFlips, { refused: 53, same: 1 }],
  ['a flipped bit in some bytes of its segment', packed.segmentFlips, { refused: 28 }],
  [
    'a flipped bit in some bytes of its segment and corrected digests',
    packed.signedFlips,
    { rebuilt: 7, 'without vectors': 3, answered: 32 },
  ],
  [
    'a flipped bit in some bytes of its deflated segment and corrected digests',
    packed.deflatedFlips,
    { rebuilt: 28, answered: 8 },
  ],
  [
    'hostile numbers in its segment and corrected digests',
    packed.sampled(packed.hostileNumbers, 7),
    { rebuilt: 17, 'without vectors': 9, answered: 59 },
  ],
  [
    'hostile numbers in its catalog and a corrected digest',
    packed.hostileCatalogs,
    { refused: 122, rebuilt: 1, same: 21 },
  ],
  [
    'other types in its catalog and a corrected digest',
    packed.sampled(packed.hostileTypes, 7),
    { refused: 58, same: 21 },
  ],
  [
    'paths that take long and a corrected digest',
    packed.sampled(packed.hostilePaths, 5),
    { same: 3 },
  ],
]

it.each(ATTACKS)(
  '[BY-22] a packed library with %s is refused or answered',
  async (_, attacks, expected) => {
    const files = await packed.victim()
    const before = await packed.answersOf(files)
    expect(before.codes).toEqual([])
    expect(before.found.map(({ matches }) => matches[0]?.id)).toEqual([
      'friend/tea',
      'victim/deck',
      'victim/pdf',
      'victim/演示',
      expect.not.stringContaining('gone'),
      'friend/tea',
    ])
    const counts: Record<string, number> = {}
    const harm: string[] = []
    for (const attack of attacks(files)) {
      const outcome = await packed.outcomeOf(attack.files, before)
      // Whether the ranking of its own skills changes too depends on the weights.
      const counted =
        'answered' in expected && ['same', 'ranked differently'].includes(outcome)
          ? 'answered'
          : outcome
      counts[counted] = (counts[counted] ?? 0) + 1
      if (outcome.startsWith('harm')) harm.push(`${attack.name}: ${outcome}`)
    }
    expect(harm).toEqual([])
    // All attacks together have rarer outcomes too.
    if (EVERYTHING) {
      expect(Object.keys(counts)).toEqual(expect.arrayContaining(Object.keys(expected)))
    } else expect(counts).toEqual(expected)
  },
)

describe('the bundled model', () => {
  const read = async (part: string) =>
    new Uint8Array(await readFile(new URL(`../../model/${part}.bin`, import.meta.url)))

  it('[BY-22] with a flipped bit is refused, and the library matches by words', async () => {
    for (const part of PARTS) {
      const bytes = await read(part)
      const step = Math.floor(bytes.length / 8)
      for (let at = 0; at < bytes.length; at += step)
        await expect(
          createBundled({
            readPart: async one => (one === part ? packed.flipped(bytes, at) : read(one)),
          })({ parts: [part] }),
        ).rejects.toMatchObject({
          code: 'source-failed',
          message: expect.stringContaining('does not match its digest'),
        })
    }
    const damaged = createBundled({
      readPart: async part => packed.flipped(await read(part), 1_000),
    })
    const tea = memory({
      'tea/SKILL.md': '---\nname: tea\ndescription: Brews oolong.\n---\nBoil water.',
    })
    await using library = await openLibrary(tea, { embedder: damaged() })
    expect(library.snapshot.diagnostics).toMatchObject([{ code: 'model-unavailable' }])
    expect((await library.search('brew oolong')).matches[0]?.name).toBe('tea')
  })

  it('[BY-22] has the digests of its files', async () => {
    const model = await createBundled({ readPart: read })({ parts: 'all' })
    expect(model.dimensions).toBe(128)
  })
})
