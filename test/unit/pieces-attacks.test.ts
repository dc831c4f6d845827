import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  bytesOf,
  readJsonSection,
  readSections,
  u32,
  writeJsonSection,
  writeSections,
} from '../../src/core/byte-sections.js'
import { digestOf, shortDigest } from '../../src/core/digest.js'
import { isSkillshelfError, memory } from '../../src/exports/index.js'
import {
  type PiecedCatalog,
  readPiecedCatalog,
  writePiecedCatalog,
} from '../../src/library/catalog/pieced-catalog.js'
import { readColumn, writeColumn } from '../../src/search/index/column.js'
import { MAX_LIST_BYTES, readPiece } from '../../src/search/pieces/piece-format.js'
import { readList } from '../../src/search/pieces/piece-list.js'
import { writePiece } from '../../src/search/pieces/write-piece.js'
import type { SkillSummary } from '../../src/skill/skill.js'
import { CATALOG_FILE } from '../../src/source/catalog-file.js'
import { MESSAGES, manySkills, openMany, type PackedFiles, packMany } from '../pieces-world.js'

type Bytes = Uint8Array<ArrayBuffer>
type Named = Pick<SkillSummary, 'id' | 'name' | 'description'>
type Sections = Record<string, Uint8Array>

/** Few skills, with words that fill several files of terms. */
const SKILLS = Object.fromEntries(
  Object.entries(manySkills())
    .filter(([path]) => /harbour|garden/.test(path))
    .map(([path, text], skill) => {
      const words = Array.from({ length: 60 }, (_, at) => `word${(skill * 60 + at).toString(36)}`)
      return [path, `${text}${words.join(' ')}\n`]
    }),
)
let files: PackedFiles
let catalog: PiecedCatalog
/** The skills as they were packed. */
let right: Map<string, SkillSummary>

beforeAll(async () => {
  files = await packMany({}, SKILLS)
  catalog = (await readPiecedCatalog(files[CATALOG_FILE] as Bytes, 'catalog')) as PiecedCatalog
  await using whole = await openMany(memory(files, { name: 'many' }), { whole: true })
  right = new Map(whole.snapshot.skills.map(skill => [skill.id, skill]))
})

const fileOf = (path: string): Bytes => files[path] as Bytes
const contentOf = async (path: string): Promise<Bytes> =>
  (await readPiece(fileOf(path), MAX_LIST_BYTES)) as Bytes
const sectionsOf = async (path: string): Promise<Sections> =>
  Object.fromEntries(readSections(await contentOf(path)) ?? [])

/** The library with some pieces, and with another catalog, all under right digests. */
async function withPieces(
  pieces: readonly { file: string; bytes: Bytes }[],
  change: Partial<PiecedCatalog>,
): Promise<PackedFiles> {
  const added = Object.fromEntries(pieces.map(({ file, bytes }) => [file, bytes]))
  const bytes = await writePiecedCatalog({ ...catalog, ...change })
  return { ...files, ...added, [CATALOG_FILE]: bytes }
}

/** The library with another list. */
async function withList(change: (sections: Sections) => Sections): Promise<PackedFiles> {
  const list = writePiece(writeSections(change(await sectionsOf(catalog.list))))
  return withPieces([list], { list: list.file })
}

const withHead = (change: object) =>
  withList(sections => ({
    ...sections,
    head: writeJsonSection({ ...(readJsonSection(sections['head']) as object), ...change }),
  }))

const withNumbers = (tag: string, change: (numbers: Uint32Array) => Uint32Array) =>
  withList(sections => ({
    ...sections,
    [tag]: bytesOf(change(new Uint32Array(u32(sections[tag] as Uint8Array)))),
  }))

/** The library with another file of rows or terms, which its list names. */
async function withPiece(
  kind: 'rdig' | 'tdig',
  change: (sections: Sections, path: string) => Bytes,
): Promise<PackedFiles> {
  const { rowFiles, termFiles } = readList(await contentOf(catalog.list)) as NonNullable<
    ReturnType<typeof readList>
  >
  const old = kind === 'rdig' ? rowFiles : termFiles
  const pieces = await Promise.all(
    old.map(async path => writePiece(change(await sectionsOf(path), path))),
  )
  const hex = pieces.map(({ file }) => file.slice('files/'.length, -'.piece'.length)).join('')
  const digests = Uint8Array.from(hex.match(/../g) ?? [], digits => Number.parseInt(digits, 16))
  const list = writePiece(writeSections({ ...(await sectionsOf(catalog.list)), [kind]: digests }))
  return withPieces([...pieces, list], { list: list.file })
}

const withLines = (change: (lines: string[]) => string[]) =>
  withPiece('rdig', sections => {
    const column = readColumn(sections['line'] as Uint8Array)
    const lines = Array.from({ length: column?.length ?? 0 }, (_, at) => column?.get(at) ?? '')
    return writeSections({ ...sections, line: writeColumn(change(lines)) })
  })

const withSection = (kind: 'rdig' | 'tdig', tag: string, bytes: (old: Uint8Array) => Uint8Array) =>
  withPiece(kind, sections =>
    writeSections({ ...sections, [tag]: bytes(sections[tag] as Uint8Array) }),
  )

/** What a list and a match have of a skill. */
const pick = ({ id, name, description }: Named): Named => ({ id, name, description })

/** Asks a library everything, and checks that each skill that it names is one that was packed, as it was packed. */
async function outcomeOf(hostile: PackedFiles): Promise<string> {
  const codes: string[] = []
  await using library = await openMany(memory(hostile, { name: 'many' }), {
    onDiagnostic: ({ code }) => codes.push(code),
  })
  const check = (skills: readonly Named[]): void => {
    for (const skill of skills) expect(right.get(skill.id)).toMatchObject(pick(skill))
    expect(new Set(skills.map(({ id }) => id)).size).toBe(skills.length)
  }
  try {
    for (const [message, name] of MESSAGES) {
      const { matches, maybe = [] } = await library.match(message, { limit: 20 })
      for (const { score } of [...matches, ...maybe]) {
        expect(score).toBeGreaterThanOrEqual(0)
        expect(score).toBeLessThanOrEqual(1)
      }
      check([...matches, ...maybe])
      const found = await library.list({ ids: [`many/${name}`] })
      check(found)
      for (const { id } of found) expect(id).toBe(`many/${name}`)
      check(await library.list({ tags: ['garden'] }))
      const opened = await library.get(name).catch(error => {
        if (isSkillshelfError(error, 'skill-not-found')) return undefined
        throw error
      })
      if (opened) expect(opened.name).toBe(name)
    }
    check(await library.list())
  } catch (error) {
    if (!isSkillshelfError(error)) throw error
    return `refused: ${error.code}`
  }
  if (library.page) {
    expect(codes).toEqual([])
    const [problem] = library.snapshot.diagnostics
    return problem ? problem.code : answered
  }
  expect(new Set(codes)).toEqual(new Set(['pieces-unreadable']))
  expect(library.snapshot.skills.length).toBe(right.size)
  return 'whole'
}

const whole = 'whole'
const answered = 'answered'
/** A skill that was found for a message, and that its name does not find. */
const unknown = 'refused: source-failed'
const HUGE = 0xffffffff

describe('[BY-33] [BY-22] pieces with lies and right digests', () => {
  it.each<[string, () => Promise<PackedFiles>, string]>([
    ['of fewer skills than none', () => withHead({ skills: -1 }), whole],
    ['of more skills than it has', () => withHead({ skills: right.size + 1 }), whole],
    ['of billions of skills', () => withHead({ skills: HUGE }), whole],
    ['of half a skill', () => withHead({ skills: 0.5 }), whole],
    ['of fewer common terms than none', () => withHead({ common: -1 }), whole],
    ['of billions of common terms', () => withHead({ common: HUGE }), whole],
    ['that is truncated', () => withList(({ head }) => ({ head: head as Uint8Array })), whole],
    ['that ends in the middle', () => withNumbers('rsta', starts => starts.slice(1)), whole],
    ['with rows of billions of skills', () => withNumbers('rsta', at => at.fill(HUGE, 1)), whole],
    ['with rows of no skill', () => withNumbers('rsta', at => at.fill(0)), whole],
    [
      'with one file for all rows',
      () => withNumbers('rdig', digests => digests.map((_, at) => digests[at % 2] as number)),
      whole,
    ],
    [
      'with one file for all terms',
      () => withNumbers('tdig', digests => digests.map((_, at) => digests[at % 2] as number)),
      whole,
    ],
    [
      'with files of rows as those of terms',
      () =>
        withList(list => ({
          ...list,
          tdig: (list['rdig'] as Uint8Array).slice(0, list['tdig']?.length),
          firs: new TextEncoder().encode('a'),
        })),
      whole,
    ],
    [
      'with terms in no order',
      () =>
        withList(list => ({
          ...list,
          firs: new TextEncoder().encode(
            new TextDecoder().decode(list['firs']).split('\n').reverse().join('\n'),
          ),
        })),
      whole,
    ],
    [
      'with its rows in another order',
      () =>
        withList(list => {
          const digests = u32((list['rdig'] as Uint8Array).slice()).slice()
          // Two files of as many skills.
          const [a, b] = [digests.slice(0, 2), digests.slice(2, 4)]
          digests.set(b, 0)
          digests.set(a, 2)
          return { ...list, rdig: bytesOf(digests) }
        }),
      'either',
    ],
    ['of no files of rows', () => withList(({ rdig: _, rsta: __, ...list }) => list), whole],
  ])('a list %s', async (_, attack, expected) => {
    const outcome = await outcomeOf(await attack())
    if (expected === 'either') expect([answered, whole]).toContain(outcome)
    else expect(outcome).toBe(expected)
  })

  it.each<[string, () => Promise<PackedFiles>, string]>([
    ['fewer entries', () => withLines(lines => lines.slice(1)), whole],
    ['more entries', () => withLines(lines => [...lines, ...lines]), whole],
    ['no entries', () => withLines(lines => lines.map(() => '')), 'skill-left-out'],
    [
      'entries that are all of one skill',
      () => withLines(lines => lines.map(() => lines[0] as string)),
      'skill-left-out',
    ],
    [
      'entries that lead out',
      () => withLines(lines => lines.map(line => line.replace('"path":"', '"path":"../'))),
      'skill-left-out',
    ],
    ['a truncated segment', () => withSection('rdig', 'segm', old => old.slice(0, -8)), whole],
    ['no segment', () => withSection('rdig', 'segm', () => new Uint8Array(0)), whole],
  ])('rows with %s', async (_, attack, expected) => {
    const outcome = await outcomeOf(await attack())
    expect(outcome).toBe(expected)
  })

  it.each<[string, () => Promise<PackedFiles>, string]>([
    [
      'of billions of words',
      () => withSection('tdig', 'head', () => writeJsonSection({ terms: HUGE })),
      whole,
    ],
    [
      'of fewer words than none',
      () => withSection('tdig', 'head', () => writeJsonSection({ terms: -1 })),
      whole,
    ],
    ['without words', () => withSection('tdig', 'lexi', () => new Uint8Array(0)), unknown],
    ['without postings', () => withSection('tdig', 'post', () => new Uint8Array(0)), unknown],
    [
      'of skills that are not there',
      () => withSection('tdig', 'post', old => old.map(() => 255)),
      unknown,
    ],
    [
      'of the last skill only',
      () => withSection('tdig', 'post', old => old.map(() => 127)),
      unknown,
    ],
  ])('terms %s', async (_, attack, expected) => {
    expect(await outcomeOf(await attack())).toBe(expected)
  })

  it.each<[string, Partial<PiecedCatalog>, string]>([
    ['fewer skills than none', { skills: -1 }, 'refused'],
    ['more skills than its list', { skills: 2_000 }, whole],
    ['a list that is no piece', { list: 'files/../../secret.piece' }, 'refused'],
    ['a list that is not there', { list: `files/${'0'.repeat(16)}.piece` }, whole],
  ])('a catalog with %s', async (_, change, expected) => {
    const hostile = await withPieces([], change)
    const opening = outcomeOf(hostile)
    if (expected === whole) expect(await opening).toBe(whole)
    else await expect(opening).rejects.toThrow()
  })

  it('a catalog whose whole catalog is one of pieces again', async () => {
    const inner = fileOf(CATALOG_FILE)
    const file = `files/${shortDigest(digestOf(inner))}.json`
    const other = `files/${'0'.repeat(16)}.piece`
    const hostile = await withPieces([{ file, bytes: inner }], { whole: file, list: other })
    await expect(openMany(memory(hostile), { strict: true })).rejects.toMatchObject({
      code: expect.stringMatching(/^(?:format|source-failed)$/),
    })
  })

  it.each([true, false])(
    'pieces that say they are large, or are larger than they say, are not inflated: by the platform %s',
    async isThere => {
      if (!isThere) vi.stubGlobal('DecompressionStream', undefined)
      onTestFinished(() => void vi.unstubAllGlobals())
      const right = writePiece(new Uint8Array(1_000))
      expect(await readPiece(right.bytes)).toEqual(new Uint8Array(1_000))
      const large = writePiece(new Uint8Array(5_000_000)).bytes
      expect(await readPiece(large)).toBeUndefined()
      new DataView(large.buffer).setUint32(0, HUGE, true)
      expect(await readPiece(large, MAX_LIST_BYTES)).toBeUndefined()
      // By the script they are cut.
      new DataView(large.buffer).setUint32(0, 100, true)
      expect((await readPiece(large))?.length ?? 100).toBe(100)
      expect(await readPiece(right.bytes.slice(0, 8))).toBeUndefined()
    },
  )
})
