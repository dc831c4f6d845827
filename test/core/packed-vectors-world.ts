import { digestOf, shortDigest } from '../../src/core/digest.js'
import { type Diagnostic, memory, openLibrary } from '../../src/exports/index.js'
import type { LocalLibrary, UpgradeOptions } from '../../src/library/api/skill-library.js'
import { readCatalog, writeCatalog } from '../../src/library/catalog/packed-catalog.js'
import { type PackedVectors, readPackedVectors } from '../../src/search/index/packed-vectors.js'
import type { Embedder } from '../../src/search/model/skill-model.js'
import type { SkillSource } from '../../src/source/source.js'
import { packFiles } from '../packed-files.js'
import { type Toy, toy } from './toy-embedder.js'

export const skill = (name: string, description: string, more = ''): string =>
  `---\nname: ${name}\ndescription: ${description}\n${more}---\n`
export const FILES = {
  'accounts/SKILL.md': skill('accounts', 'Checks each bill. Do NOT use for a flight'),
  'ppt/SKILL.md': skill('ppt', 'Makes a deck for talks', 'messages: [a keynote please]\n'),
  'travel/SKILL.md': skill('travel', 'Books an airline seat'),
}
export type Packed = Record<string, Uint8Array<ArrayBuffer>>

/** A packed library, and the texts that its encoder has read. */
export async function packed(
  files: Record<string, string> = FILES,
  { encoder = toy(), previous }: { encoder?: Toy; previous?: SkillSource } = {},
): Promise<{ files: Packed; read: string[] }> {
  const all = await packFiles(files, 'skills', { encoder, previous })
  return { files: all, read: encoder.read.document }
}
export const vectorsIn = (files: Packed): string[] =>
  Object.keys(files).filter(path => /\.vec$/.test(path))
export const fileOf = (files: Packed): string => vectorsIn(files)[0] as string

/** A source that records what is read. */
export function recorded(files: Packed): SkillSource & { reads: string[] } {
  const reads: string[] = []
  const source = memory(files, { name: 'skills' })
  return {
    reads,
    name: 'skills',
    async read(path, options) {
      reads.push(path)
      return source.read(path, options)
    },
  }
}

export const upgrade = (library: LocalLibrary, model: Embedder, options: UpgradeOptions = {}) =>
  library.upgrade(model, { cache: false, ...options })

/** Opens a library and upgrades it. Returns how it answers, and what was embedded in it. */
export async function visit(source: SkillSource, model = toy()) {
  const problems: Diagnostic[] = []
  await using library = await openLibrary(source, {
    embedder: false,
    onDiagnostic: problem => problems.push(problem),
  })
  const upgraded = await upgrade(library, model)
  const names = async (message: string): Promise<string[]> =>
    (await library.search(message)).matches.map(({ name }) => name)
  return {
    upgraded,
    problems,
    embedded: model.read.document,
    found: {
      flight: await names('flight'),
      receipt: await names('receipt'),
      keynote: await names('keynote'),
    },
  }
}
export const RIGHT = { flight: ['travel'], receipt: ['accounts'], keynote: ['ppt'] }

/** The same library with other vectors, whose names and digests are right. */
export async function withVectors(files: Packed, bytes: Uint8Array<ArrayBuffer>): Promise<Packed> {
  const { [fileOf(files)]: _, ...rest } = files
  const file = `${shortDigest(digestOf(bytes))}.vec`
  const catalog = await readCatalog(files['skillshelf.json'] as Packed[string], 'catalog')
  const segments = catalog.segments.map(segment => ({
    ...segment,
    vectors: { file, space: segment.vectors?.space ?? '' },
  }))
  return { ...rest, [file]: bytes, 'skillshelf.json': await writeCatalog({ ...catalog, segments }) }
}
export const vectorsOf = (files: Packed): PackedVectors =>
  readPackedVectors(files[fileOf(files)] as Uint8Array) as PackedVectors
