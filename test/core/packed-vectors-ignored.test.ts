import { describe, expect, it } from 'vitest'
import { type Diagnostic, memory, openLibrary } from '../../src/exports/index.js'
import { readCatalog, writeCatalog } from '../../src/library/catalog/packed-catalog.js'
import { createKeys } from '../../src/library/signed/signature.js'
import {
  encodeVector,
  type PackedVectors,
  readPackedVectors,
  writePackedVectors,
} from '../../src/search/index/packed-vectors.js'
import { fails } from '../fails.js'
import { packFiles } from '../packed-files.js'
import {
  FILES,
  fileOf,
  type Packed,
  packed,
  RIGHT,
  recorded,
  skill,
  upgrade,
  vectorsOf,
  visit,
  withVectors,
} from './packed-vectors-world.js'
import { toy } from './toy-embedder.js'

describe('packed vectors that cannot be used', () => {
  const zeros = (): Uint8Array => encodeVector(new Float32Array(8))
  const scaled = (scale: number): Uint8Array => {
    const bytes = Uint8Array.from(encodeVector([1, 0, 0, 0, 0, 0, 0, 0]))
    new DataView(bytes.buffer).setFloat32(0, scale, true)
    return bytes
  }
  /** Writes vectors without a check. */
  const raw = (
    files: Packed,
    change: (sections: DataView, bytes: Uint8Array) => void,
  ): Packed[string] => {
    const bytes = Uint8Array.from(files[fileOf(files)] as Uint8Array)
    change(new DataView(bytes.buffer), bytes)
    return bytes
  }
  /** Where the scales are. */
  const scalesAt = (view: DataView): number => {
    for (let entry = 8; ; entry += 12) {
      const tag = String.fromCharCode(...new Uint8Array(view.buffer, entry, 4))
      if (tag === 'vsca') return view.getUint32(entry + 4, true)
    }
  }
  const withScale = (scale: number) => (files: Packed) =>
    raw(files, view => view.setFloat32(scalesAt(view) + 4, scale, true))
  const rewritten = (change: (vectors: PackedVectors) => PackedVectors) => (files: Packed) =>
    writePackedVectors(change(vectorsOf(files)))

  const BAD: [string, (files: Packed) => Packed[string], message: string][] = [
    ['NaN as scale', withScale(Number.NaN), 'damaged'],
    ['infinity as scale', withScale(Number.POSITIVE_INFINITY), 'damaged'],
    ['a scale that makes a vector near to everything', withScale(5), 'damaged'],
    ['a negative length', withScale(-1e-30), 'damaged'],
    [
      'half of the file',
      files => (files[fileOf(files)] as Packed[string]).slice(0, 120),
      'damaged',
    ],
    [
      'languages that are none',
      rewritten(vectors => ({ ...vectors, languages: [7] as never })),
      'damaged',
    ],
    ['nothing', () => new Uint8Array(0), 'damaged'],
    ['another file', () => new TextEncoder().encode('{"vectors":[]}'), 'damaged'],
    [
      'a hostile number of sections',
      files => raw(files, view => view.setUint16(6, 65_535, true)),
      'damaged',
    ],
    [
      'a hostile length of a section',
      files => raw(files, view => view.setUint32(8 + 8, 0xffff_fff8, true)),
      'damaged',
    ],
    [
      'vectors of another length',
      rewritten(({ skills, ...rest }) => ({
        ...rest,
        dimensions: 16,
        skills: skills.map(
          one => one && { ...one, vector: encodeVector([1, ...new Array<number>(15).fill(0)]) },
        ),
      })),
      'damaged',
    ],
    [
      'the name of another model inside',
      rewritten(vectors => ({ ...vectors, space: 'toy/9' })),
      'damaged',
    ],
    [
      'vectors of other texts',
      rewritten(vectors => ({
        ...vectors,
        skills: vectors.skills.map(one => one && { ...one, key: '0123456789abcdef' }),
      })),
      'other texts',
    ],
    [
      'swapped vectors',
      rewritten(vectors => ({
        ...vectors,
        skills: vectors.skills.map(
          (one, at) => one && { ...one, vector: vectors.skills.at(at - 1)?.vector ?? zeros() },
        ),
      })),
      'are not those that toy/1 computes',
    ],
    [
      'only zeros',
      files => raw(files, (view, bytes) => bytes.fill(0, scalesAt(view), scalesAt(view) + 12)),
      'other texts',
    ],
  ]

  it.each(BAD)(
    '[BY-35] [BY-22] %s: are ignored, and the skills are embedded there',
    async (_, damage, says) => {
      const { files } = await packed()
      const bad = await withVectors(files, damage(files))
      const tea = memory({ 'tea/SKILL.md': skill('tea', 'Pours a drink and a bill') })
      const problems: Diagnostic[] = []
      await using library = await openLibrary([memory(bad, { name: 'skills' }), tea], {
        embedder: false,
        onDiagnostic: problem => problems.push(problem),
      })
      expect(await upgrade(library, toy())).toBe(true)
      expect(problems).toMatchObject([
        { code: 'vectors-ignored', severity: 'warning', message: expect.stringContaining(says) },
      ])
      expect(problems[0]?.hint).toContain('pack')
      const names = async (message: string) =>
        (await library.search(message)).matches.map(({ name }) => name).sort()
      expect(await names('flight')).toEqual(['travel'])
      expect(await names('receipt')).toEqual(['accounts', 'tea'])
    },
  )

  it('[BY-35] of another model are ignored without being fetched, and the problem says what to do', async () => {
    const source = recorded((await packed(FILES, { encoder: toy({ id: 'toy/0' }) })).files)
    const { upgraded, embedded, found, problems } = await visit(source)
    expect([upgraded, embedded.length, found]).toEqual([true, 4, RIGHT])
    expect(source.reads.filter(path => path.endsWith('.vec'))).toEqual([])
    expect(problems).toMatchObject([
      {
        code: 'vectors-ignored',
        message: expect.stringContaining('are of toy/0, not of toy/1'),
        hint: 'pack the skills with the encoder that pages load',
      },
    ])
  })

  it('[BY-35] that are missing on the host, or have another digest, are ignored', async () => {
    const { files } = await packed()
    const file = fileOf(files)
    const { [file]: bytes, ...without } = files
    const flipped = Uint8Array.from(bytes as Uint8Array)
    flipped[flipped.length - 1] = (flipped[flipped.length - 1] as number) ^ 1
    for (const some of [without, { ...without, [file]: flipped }] as Packed[]) {
      const { upgraded, found, problems } = await visit(memory(some, { name: 'skills' }))
      expect([upgraded, found]).toEqual([true, RIGHT])
      expect(problems).toMatchObject([{ code: 'vectors-ignored' }])
    }
  })

  it('[BY-35] reach no skill of another source, though it has the same SKILL.md', async () => {
    const nameless = '---\ndescription: Books an airline seat\n---\n'
    const { files } = await packed({ ...FILES, 'voyage/SKILL.md': nameless })
    const vectors = vectorsOf(files)
    const away = encodeVector([0, 0, 0, 0, 0, 0, 0, 1])
    const skills = vectors.skills.map((one, at) => (one && at > 0 ? { ...one, vector: away } : one))
    const bad = await withVectors(files, writePackedVectors({ ...vectors, skills }))
    await using library = await openLibrary(
      [memory(bad, { name: 'other' }), memory({ 'journey/SKILL.md': nameless }, { name: 'mine' })],
      { embedder: false },
    )
    await upgrade(library, toy())
    const { matches } = await library.search('flight')
    expect(matches.map(({ id }) => id)).toEqual(['mine/journey'])
  })

  it('[BY-35] [BY-27] are covered by the signature of a library', async () => {
    const { privateKey, publicKey } = await createKeys()
    const files = await packFiles(FILES, 'skills', {
      encoder: toy(),
      sign: { privateKeys: [privateKey], revision: 1 },
    })
    const opened = (some: Packed) =>
      openLibrary(memory(some, { name: 'skills' }), {
        embedder: false,
        publicKeys: [publicKey],
        seenRevisions: new Map(),
        onDiagnostic: () => {},
      })
    const other = vectorsOf((await packed({ ...FILES, 'a/SKILL.md': skill('a', 'Cuts') })).files)
    const replaced = { ...files, [fileOf(files)]: writePackedVectors(other) }
    for (const [some, codes] of [
      [files, []],
      [replaced, ['vectors-ignored']],
    ] as const) {
      await using library = await opened(some)
      expect(await upgrade(library, toy())).toBe(true)
      expect(library.snapshot.diagnostics.map(({ code }) => code)).toEqual(codes)
    }
    await fails(opened(await withVectors(files, writePackedVectors(other))), 'untrusted')
  })

  it('[BY-35] a field of the catalog that is not what it should be is as none', async () => {
    const { files } = await packed()
    const catalog = await readCatalog(files['skillshelf.json'] as Packed[string], 'catalog')
    const wrong = [7, null, {}, { file: '../secret.vec', space: 'toy/1' }, { file: fileOf(files) }]
    for (const vectors of wrong) {
      const segments = catalog.segments.map(segment => ({ ...segment, vectors: vectors as never }))
      const bytes = await writeCatalog({ ...catalog, segments })
      const { embedded, found, problems } = await visit(
        memory({ ...files, 'skillshelf.json': bytes }, { name: 'skills' }),
      )
      expect([embedded.length, found, problems]).toEqual([4, RIGHT, []])
    }
  })

  it('[BY-35] a scale of zero, or a vector without a key, is as none', () => {
    const vector = encodeVector([1, 0, 0, 0, 0, 0, 0, 0])
    const bytes = writePackedVectors({
      space: 'toy/1',
      dimensions: 8,
      languages: ['en'],
      skills: [
        { key: '00000000000000aa', vector: zeros() },
        { key: '00000000000000bb', vector },
        undefined,
        { key: '00000000000000cc', vector: scaled(Number.NaN) },
      ],
    })
    expect(readPackedVectors(bytes)?.skills).toEqual([
      undefined,
      { key: '00000000000000bb', vector },
      undefined,
      undefined,
    ])
  })
})
