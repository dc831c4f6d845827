/** The attacks of packed-attacks.test.ts: packed files with changed bits and hostile numbers. */

import { bytesOf, readSections, writeSections } from '../../src/core/byte-sections.js'
import { inflateSynchronously } from '../../src/core/deflate.js'
import { digestOf, shortDigest } from '../../src/core/digest.js'
import { memory, openLibrary } from '../../src/exports/index.js'
import { skillStore } from '../../src/exports/store.js'
import type { SkillModel } from '../../src/search/model/skill-model.js'
import { CATALOG_FILE } from '../../src/source/catalog-file.js'
import { packedFiles } from '../packed-files.js'
import { LONG_FILES, PATH_BOMBS } from '../path-bombs.js'
import { EVERYTHING } from '../samples.js'

export type Bytes = Uint8Array<ArrayBuffer>
export type Files = Record<string, Bytes>
type Catalog = Record<string, unknown> & {
  segments: { file: string; skills: unknown; dead: unknown }[]
}

const skill = (name: string, description: string): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\n${description} Then check it.\n`

const SKILLS: Record<string, string> = {
  'deck/SKILL.md': skill('deck', 'Makes slides for a talk.\nmessages: [I speak on Monday]'),
  'gone/SKILL.md': skill('gone', 'Was deleted by its author.'),
  'pdf/SKILL.md': skill('pdf', 'Extracts tables from a file.'),
  'report/SKILL.md': skill('report', 'Writes a report with a chart.'),
  'sql/SKILL.md': skill('sql', 'Queries a database of orders.'),
  '演示/SKILL.md': skill('演示', '制作幻灯片。'),
}
/** A model of letters: small, synchronous and the same everywhere. */
export const letters: SkillModel = {
  space: 'letters/1',
  dimensions: 8,
  vectorOf: (text, into = new Float32Array(8)) => {
    into.fill(0)
    for (const letter of text.toLowerCase())
      into[letter.charCodeAt(0) % 8] = (into[letter.charCodeAt(0) % 8] ?? 0) + 1
    const length = Math.hypot(...into)
    return length === 0 ? into : into.map((value, index) => (into[index] = value / length))
  },
  skillVector: ({ name, description }, into) => letters.vectorOf(`${name} ${description}`, into),
}

const packed = (skills: Record<string, string>) =>
  packedFiles(memory(skills, { name: 'friend' }), { embedder: letters })

/** A skill of another source, which no attack on the packed library may hide. */
const friend = memory(
  await packed({ 'tea/SKILL.md': skill('tea', 'Brews oolong in a pot.\npaths: "*.pot"') }),
  {
    name: 'friend',
  },
)
const MESSAGES = [
  'brew oolong in a pot',
  'make slides for a talk',
  'extract tables',
  '幻灯片',
  'deleted by its author',
]

/** A packed library with vectors and a deleted skill. */
export async function victim(): Promise<Files> {
  const source = memory({}, { name: 'victim' })
  const store = skillStore(source, { embedder: letters })
  await store.install(SKILLS)
  await store.remove('gone')
  const files: Files = {}
  for (const { path } of await source.list())
    files[path] = ((await source.read(path)) as { bytes: Bytes }).bytes
  return files
}

export const segmentOf = (files: Files): string =>
  Object.keys(files).find(path => path.endsWith('.seg')) as string

/** The segment as it is before it is deflated. */
const inflatedSegment = (files: Files): Bytes =>
  inflateSynchronously(files[segmentOf(files)] as Bytes, 1_000_000) as Bytes

/** The catalog with a change and the digest that belongs to it, as a hostile packer would write it. */
export function withCatalog(files: Files, change: (catalog: Catalog) => void): Files {
  const { format, digest: _, ...rest } = JSON.parse(new TextDecoder().decode(files[CATALOG_FILE]))
  change(rest)
  const content = JSON.stringify(rest).slice(1)
  const text = `{"format":${JSON.stringify(format)},"digest":"${digestOf(content)}",${content}`
  return { ...files, [CATALOG_FILE]: new TextEncoder().encode(text) }
}

/** The library with another segment, under the digest that belongs to it. */
export function withSegment(files: Files, bytes: Bytes): Files {
  const file = `${shortDigest(digestOf(bytes))}.seg`
  return withCatalog({ ...files, [file]: bytes }, ({ segments: [segment] }) => {
    if (segment) segment.file = file
  })
}

/** The library with another section in its segment. */
export function withSection(
  files: Files,
  tag: string,
  change: (section: Bytes) => Uint8Array,
): Files {
  const sections = Object.fromEntries(readSections(inflatedSegment(files)) ?? [])
  return withSegment(
    files,
    writeSections({ ...sections, [tag]: change(new Uint8Array(sections[tag] as Bytes)) }),
  )
}

/** One bit of a byte is flipped. */
export function flipped(bytes: Bytes, at: number): Bytes {
  const copy = bytes.slice()
  copy[at] = (copy[at] as number) ^ (1 << ((at * 5) % 8))
  return copy
}

interface Attack {
  name: string
  files: Files
}
export type Attacks = (files: Files) => Generator<Attack>

/**
 * Some of the attacks; all of them with `TEST_EVERYTHING`.
 * @param step From one to the next. It shares no factor with the number of values at a place, so all values come up.
 */
export function sampled(attacks: Attacks, step: number): Attacks {
  return function* some(files) {
    let number = 0
    for (const attack of attacks(files)) {
      if (EVERYTHING || number++ % step === 0) yield attack
    }
  }
}

/** Bytes from one attack to the next. No multiple of the sizes of fields. */
const STEP = EVERYTHING ? 3 : 31

/** One bit of some bytes. `put` gives the library with the changed bytes. */
function* flips(what: string, bytes: Bytes, put: (flipped: Bytes) => Files): Generator<Attack> {
  for (let at = 0; at < bytes.length; at += STEP)
    yield { name: `${what} byte ${at}`, files: put(flipped(bytes, at)) }
}
export const catalogFlips = (files: Files) =>
  flips('catalog', files[CATALOG_FILE] as Bytes, bytes => ({ ...files, [CATALOG_FILE]: bytes }))
export const segmentFlips = (files: Files) =>
  flips('segment', files[segmentOf(files)] as Bytes, bytes => ({
    ...files,
    [segmentOf(files)]: bytes,
  }))
/** The digest of the segment is corrected. */
export const signedFlips = (files: Files) =>
  flips('signed segment', inflatedSegment(files), bytes => withSegment(files, bytes))
/** The same with the deflated bytes, the first of which state the size. */
export function* deflatedFlips(files: Files): Generator<Attack> {
  const bytes = files[segmentOf(files)] as Bytes
  yield* flips('deflated segment', bytes, changed => withSegment(files, changed))
  for (const size of [0, 1, bytes.length, 0x01ffffff, 0xffffffff]) {
    const changed = bytes.slice()
    new DataView(changed.buffer).setUint32(0, size, true)
    yield { name: `a size of ${size}`, files: withSegment(files, changed) }
  }
  for (const end of [4, 5, bytes.length - 1])
    yield { name: `cut at ${end}`, files: withSegment(files, bytes.slice(0, end)) }
}

const INTEGERS = [0, 1, 127, 128, 255, 0x7fff, 0xffff, 0x7fffffff, 0xffffffff]
const FLOATS = [
  0,
  -0,
  1,
  -1,
  1e-45,
  3.4e38,
  -3.4e38,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
]
const JSON_NUMBERS =
  '0 1 -1 0.5 4294967296 9007199254740993 1e308 1e999 -1e999 null "NaN" []'.split(' ')

/** Hostile numbers at every number of the segment, whose digest is corrected. */
export function* hostileNumbers(files: Files): Generator<Attack> {
  const sections = readSections(inflatedSegment(files)) as Map<string, Bytes>
  const sizes = { seqo: 4, lexb: 4, name: 4, mess: 4, seqs: 2, seqb: 2, lexi: 1, post: 1, vecs: 1 }
  for (const [tag, size] of Object.entries(sizes)) {
    const { length } = sections.get(tag) as Bytes
    // After its table of offsets, a column is text.
    const end = tag === 'name' || tag === 'mess' ? 4 * 8 : length
    for (let at = 0; at + size <= end; at += size === 1 ? STEP : EVERYTHING ? size : 3 * size) {
      for (const number of INTEGERS.filter(one => one < 256 ** size))
        yield {
          name: `${tag} ${at} = ${number}`,
          files: withSection(files, tag, section => {
            for (let byte = 0; byte < size; byte++)
              section[at + byte] = Math.floor(number / 256 ** byte)
            return section
          }),
        }
    }
  }
  for (let at = 0; at < (sections.get('vsca') as Bytes).length; at += 4) {
    for (const number of FLOATS)
      yield {
        name: `vsca ${at} = ${number}`,
        files: withSection(files, 'vsca', section => {
          section.set(bytesOf(Float32Array.of(number)), at)
          return section
        }),
      }
  }
  for (const [tag, key] of [
    ['head', 'skills'],
    ['head', 'terms'],
    ['head', 'postings'],
    ['vhea', 'dimensions'],
  ] as const) {
    for (const number of JSON_NUMBERS)
      yield {
        name: `${tag} ${key} = ${number}`,
        files: withSection(files, tag, section =>
          new TextEncoder().encode(
            new TextDecoder().decode(section).replace(new RegExp(`("${key}":)\\d+`), `$1${number}`),
          ),
        ),
      }
  }
  for (const tag of ['post', 'lexi']) {
    for (const byte of [0, 127, 128, 255])
      yield {
        name: `${tag} full of ${byte}`,
        files: withSection(files, tag, section => section.fill(byte)),
      }
  }
}

/** Hostile numbers at every number of the catalog, whose digest is corrected. */
export function* hostileCatalogs(files: Files): Generator<Attack> {
  const text = new TextDecoder().decode(files[CATALOG_FILE])
  const { digest: _, ...rest } = JSON.parse(text)
  const plain = JSON.stringify(rest)
  for (const { index, 0: found } of plain.matchAll(/(?<=[:[,])\d+(?=[,\]}])/g)) {
    for (const number of JSON_NUMBERS) {
      const changed = plain.slice(0, index) + number + plain.slice(index + found.length)
      const [start, content] = [
        changed.slice(0, changed.indexOf(',') + 1),
        changed.slice(changed.indexOf(',') + 1),
      ]
      const signed = `${start}"digest":"${digestOf(content)}",${content}`
      yield {
        name: `catalog ${index} = ${number}`,
        files: { ...files, [CATALOG_FILE]: new TextEncoder().encode(signed) },
      }
    }
  }
}

/** Every field of the catalog has another type, and its digest is corrected. */
export function* hostileTypes(files: Files): Generator<Attack> {
  const {
    format: _,
    digest: __,
    ...catalog
  } = JSON.parse(new TextDecoder().decode(files[CATALOG_FILE]))
  for (const path of fieldsOf(catalog)) {
    for (const value of [
      null,
      true,
      {},
      [],
      [[]],
      { length: 1e9 },
      ['__proto__'],
      { __proto__: null, name: 1 },
    ]) {
      const changed = withCatalog(files, rest => {
        const parent = path
          .slice(0, -1)
          .reduce((holder, key) => holder[key] as Fields, rest as unknown as Fields)
        parent[path.at(-1) as string] = value
      })
      yield { name: `catalog ${path.join('.')} = ${JSON.stringify(value)}`, files: changed }
    }
  }
}

type Fields = Record<string, unknown>

/** The paths of all fields of a value. */
function fieldsOf(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => [
    [...path, key],
    ...fieldsOf(inner, [...path, key]),
  ])
}

/** Every skill has paths that take long, and the digest is corrected. */
export function* hostilePaths(files: Files): Generator<Attack> {
  for (const [name, paths] of Object.entries(PATH_BOMBS))
    yield {
      name,
      files: withCatalog(files, ({ skills }) => {
        for (const entry of skills as Fields[]) Object.assign(entry, { paths, pathsRequired: true })
      }),
    }
}

/** What became of an attack. `answered`: with or without another ranking of its own skills. */
export type Outcome =
  | 'refused'
  | 'rebuilt'
  | 'without vectors'
  | 'same'
  | 'ranked differently'
  | 'answered'

/** The skills of the packed library and what a search finds, without the revision. */
export async function answersOf(files: Files) {
  await using library = await openLibrary([memory(files, { name: 'victim' }), friend], {
    embedder: letters,
  })
  const { skills, diagnostics } = library.snapshot
  const found = []
  for (const message of MESSAGES) {
    const { matches, abstained } = await library.search(message)
    found.push({ matches, abstained })
  }
  const { matches } = await library.search({ message: MESSAGES[0] as string, files: LONG_FILES })
  found.push({ matches, abstained: undefined })
  return { skills, codes: diagnostics.map(({ code }) => code), found }
}

export type Answers = Awaited<ReturnType<typeof answersOf>>

/** A packer may state any count of tokens, and any paths. */
const STATED = ['tokens', 'paths', 'pathsRequired']

/** The outcome of an attack; a sentence if it did harm. */
export async function outcomeOf(
  files: Files,
  before: Answers,
): Promise<Outcome | `harm: ${string}`> {
  let after: Answers
  try {
    after = await answersOf(files)
  } catch (error) {
    return `harm: ${String(error)}`
  }
  const { skills, codes, found } = after
  if (skills.some(({ paths = [] }) => paths.length > 100 || paths.some(path => path.length > 256)))
    return 'harm: a skill has more paths than a SKILL.md may have'
  const names = new Map(skills.map(({ id, name }) => [id, name]))
  if (names.get('friend/tea') !== 'tea') return 'harm: the other source is hidden'
  if (names.has('victim/gone')) return 'harm: a deleted skill is back'
  for (const one of [found[0], found.at(-1)]) {
    if (one?.matches[0]?.id !== 'friend/tea')
      return 'harm: the skill of the other source is not found'
  }
  if (found.at(-1)?.matches[0]?.signals.place !== LONG_FILES[0])
    return 'harm: the paths of the other source are not read'
  for (const { id, name, score } of found.flatMap(({ matches }) => matches)) {
    if (names.get(id) !== name) return `harm: ${id} is found as ${name}`
    if (!(score >= 0 && score <= 1)) return `harm: ${id} has the score ${score}`
  }
  const textOf = (answers: Answers, key: 'skills' | 'found'): string =>
    JSON.stringify(answers[key], (name, value) => (STATED.includes(name) ? undefined : value))
  const isSame = (key: 'skills' | 'found'): boolean => textOf(after, key) === textOf(before, key)
  if (codes.includes('source-unreadable') || codes.includes('skill-left-out')) return 'refused'
  if (!isSame('skills')) return 'harm: other skills without a diagnostic'
  if (codes.includes('segment-rebuilt'))
    return isSame('found') ? 'rebuilt' : 'harm: the rebuilt segment ranks differently'
  if (codes.includes('vectors-missing')) return 'without vectors'
  return isSame('found') ? 'same' : 'ranked differently'
}
