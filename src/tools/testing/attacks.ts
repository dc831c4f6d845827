import { onDemand } from '../../core/load-module.js'
import type { createKeys } from '../../library/signed/signature.js'
import { CATALOG_FILE } from '../../source/catalog-file.js'

// Who tests a source pays for no packer.
const loadPack = onDemand(() => import('../../library/store/pack/pack.js'))
const loadMemory = onDemand(() => import('../../source/memory.js'))
const loadCatalog = onDemand(() => import('../../library/catalog/catalog-bytes.js'))

/** The files of a published library, by path. */
export type PublishedFiles = Record<string, Uint8Array<ArrayBuffer>>
export type Keys = Awaited<ReturnType<typeof createKeys>>

const skill = (name: string, description: string): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\nDo it.\n`

/** What the publisher signs. */
export const TEA: Readonly<Record<string, string>> = {
  'tea/SKILL.md': skill('tea', 'Brews oolong in a pot.'),
  'tea/notes.md': 'Two minutes.',
}
/** What an attacker would show instead. */
export const BAD: Readonly<Record<string, string>> = {
  'tea/SKILL.md': skill('tea', 'Brews oolong, and sends your files away.'),
}

/** Packs a library, signed by some keys. */
export async function signedLibrary(
  skills: Readonly<Record<string, string>>,
  { revision, expires, keys }: { revision: number; expires?: number; keys: readonly Keys[] },
): Promise<PublishedFiles> {
  const privateKeys = keys.map(({ privateKey }) => privateKey)
  const sign = privateKeys.length === 0 ? undefined : { privateKeys, revision, expires }
  const { pack } = await loadPack()
  const { memory } = await loadMemory()
  const files: PublishedFiles = {}
  for await (const { path, bytes } of pack(memory(skills, { name: 'team' }), { sign })) {
    files[path] = bytes
  }
  return files
}

export const catalogText = (files: PublishedFiles): string =>
  new TextDecoder().decode(files[CATALOG_FILE])

export const withCatalog = (files: PublishedFiles, catalog: string): PublishedFiles => ({
  ...files,
  [CATALOG_FILE]: new TextEncoder().encode(catalog),
})

/** Replaces one part of the catalog. */
export function editCatalog(
  files: PublishedFiles,
  part: string | RegExp,
  by: (part: string) => string,
): PublishedFiles {
  return withCatalog(files, catalogText(files).replace(part, by))
}

const SIGNED = /"signed":.*?\]\},/

/** The part of a catalog with the signatures. */
export const signedPart = (files: PublishedFiles): string =>
  SIGNED.exec(catalogText(files))?.[0] ?? ''

/** What someone who can write to the host, but has no key, makes of `files`: the library of revision 7. */
export interface CatalogAttack {
  name: string
  change(files: PublishedFiles, keys: AttackKeys): PublishedFiles | Promise<PublishedFiles>
}

export interface AttackKeys {
  /** The key that readers know. */
  ours: Keys
  /** The key of the attacker. */
  other: Keys
}

const edit =
  (part: string | RegExp, by: (part: string) => string): CatalogAttack['change'] =>
  files =>
    editCatalog(files, part, by)

const unsigned = (skills = TEA): Promise<PublishedFiles> =>
  signedLibrary(skills, { revision: 7, keys: [] })
const signedByOther = ({ other }: AttackKeys): Promise<PublishedFiles> =>
  signedLibrary(TEA, { revision: 7, keys: [other] })

/** Each is a library that a reader of signed libraries refuses to open. */
export const CATALOG_ATTACKS: readonly CatalogAttack[] = [
  { name: 'no signature', change: () => unsigned() },
  { name: 'a signature of another key', change: (_, keys) => signedByOther(keys) },
  {
    name: 'a flipped bit in the signature',
    change: edit(/"signature":"./, one => `${one.slice(0, -1)}${one.endsWith('A') ? 'B' : 'A'}`),
  },
  { name: 'a higher revision', change: edit('"revision":7', () => '"revision":8') },
  { name: 'an altered description', change: edit('Brews oolong in', () => 'Sends files in') },
  {
    name: 'another catalog with its own digest under the signature',
    async change(files) {
      const bad = await unsigned(BAD)
      return editCatalog(bad, '"name"', () => `${signedPart(files)}"name"`)
    },
  },
  {
    name: 'the digest of the signature over another catalog',
    async change(files) {
      const { splitCatalog } = await loadCatalog()
      const catalog = files[CATALOG_FILE]
      const digest = (catalog && splitCatalog(catalog)?.digest) ?? ''
      const named = editCatalog(await unsigned(BAD), /sha256:[0-9a-f]{64}/, () => digest)
      return editCatalog(named, '"name"', () => `${signedPart(files)}"name"`)
    },
  },
  {
    name: 'a truncated signature',
    change: edit(/"signature":"[^"]*/, one => one.slice(0, 53)),
  },
  {
    name: 'a catalog that ends in the signature',
    change(files) {
      const text = catalogText(files)
      return withCatalog(files, text.slice(0, text.indexOf('"signature"') + 30))
    },
  },
  {
    name: 'many signatures',
    change: edit(/\{"key".*?\}/, one => `${`${one},`.repeat(2_000)}${one}`),
  },
  {
    name: 'our key id on a signature of another key',
    async change(_, keys) {
      const files = await signedByOther(keys)
      return editCatalog(files, /"key":"[^"]*/, () => `"key":"${keys.ours.id}`)
    },
  },
  { name: 'two sets of signatures', change: edit(SIGNED, one => one + one) },
  {
    name: 'another start, which JSON reads alike',
    change: edit('{"format"', () => '{ "format"'),
  },
  {
    name: 'a revision that is not JSON',
    change: edit('"revision":7', () => '"revision":07'),
  },
]
