import { onDemand } from '../../core/load-module.js'
import type { SkillLibrary } from '../../library/api/skill-library.js'
import { CATALOG_FILE } from '../../source/catalog-file.js'
import { check, equal, rejects, type SuiteCase } from './assertions.js'
import {
  type AttackKeys,
  BAD,
  CATALOG_ATTACKS,
  editCatalog,
  type Keys,
  type PublishedFiles,
  signedLibrary,
  TEA,
} from './attacks.js'

/** A site with a signed library, and what its readers know of it. Each case has its own. */
export interface PublishedSite {
  /** Ends in `/`. Nothing is there: `fetch` answers. */
  url: string
  /** Answers requests below `url`. */
  fetch: typeof globalThis.fetch
  /** Keys that readers trust, in PEM. */
  publicKeys: readonly string[]
  /** Number of them that must have signed the library. */
  signatureThreshold: number
  /** The revisions that this reader has seen. */
  seenRevisions: Map<string, number>
}

/** Options of `publisherSuite`. */
export interface PublisherSuiteOptions {
  /** Names of cases to leave out. @default [] */
  skip?: readonly string[] | undefined
  /** The most bytes that your source takes of one file. The suite offers more. @default 256 MiB, as `http` */
  maxBytes?: number | undefined
}

/** A site, and what is done to it. */
interface World extends PublishedSite {
  files: PublishedFiles
  /** A path whose file never ends. */
  endless: string | undefined
  /** Bytes of it that were read. */
  taken: number
  keys: AttackKeys & { next: Keys }
}

const loadDigest = onDemand(() => import('../../core/digest.js'))
const loadPackedFiles = onDemand(() => import('../../library/catalog/packed-files.js'))
const loadSignature = onDemand(() => import('../../library/signed/signature.js'))
const DAY = 86_400
const CHUNK = new Uint8Array(65_536).fill(32)
/** Another skill of the same publisher, and what it does. */
const CUP = {
  'cup/SKILL.md': '---\nname: cup\ndescription: Washes cups.\n---\n\nWash it.\n',
}

/**
 * Tests that your setup refuses what a hostile publisher, host or network makes of a signed library: libraries without a signature, with
 * another key, too few of them, old or expired; files that are swapped, altered, or never end.
 * @param open Opens the library of a site as your program does, with the source that you test. Some cases call it again, for the next
 * visit to the same site.
 * @returns Cases for any test runner
 * @example
 * ```ts
 * import { http, openLibrary } from 'skillshelf'
 * import { publisherSuite } from 'skillshelf/testing'
 * import { it } from 'vitest' // or from 'node:test'
 *
 * const cases = publisherSuite(({ url, fetch, ...keys }) =>
 *   openLibrary(http(url, { fetch, maxBytes: 1_000_000 }), keys), { maxBytes: 1_000_000 })
 * for (const { name, run } of cases) it(name, run)
 * ```
 */
export function publisherSuite(
  open: (site: PublishedSite) => Promise<SkillLibrary>,
  { skip = [], maxBytes = 256 * 1_048_576 }: PublisherSuiteOptions = {},
): readonly SuiteCase[] {
  const test = (name: string, body: (site: World) => Promise<void>): SuiteCase => ({
    name,
    run: async () => body(await createWorld(maxBytes)),
  })
  const isRefused = async (site: World): Promise<void> => {
    await rejects(async () => (await open(site)).close(), 'untrusted', 'opening it')
  }
  const showsNothingElse = async (site: World): Promise<void> => {
    const library = await open(site).catch(() => undefined)
    await using _ = library
    if (library) await showsSigned(library)
  }
  const staysBounded = async (site: World): Promise<void> => {
    await showsNothingElse(site)
    check(site.taken > 0, `${site.endless} was not read`)
    check(
      site.taken <= maxBytes + 4 * CHUNK.length,
      `${site.taken} bytes of a file without an end were read; maxBytes is ${maxBytes}`,
    )
  }

  return [
    test('opens what the publisher signed', async site => {
      await using library = await open(site)
      equal((await library.get('tea')).text, TEA['tea/SKILL.md'], 'the SKILL.md of tea')
      const { text } = await library.read('tea', 'notes.md')
      equal(text, TEA['tea/notes.md'], 'notes.md of tea')
    }),
    ...CATALOG_ATTACKS.map(({ name, change }) =>
      test(`refuses ${name}`, async site => {
        site.files = await change(site.files, site.keys)
        await isRefused(site)
      }),
    ),
    test('refuses an older revision than it has seen', async site => {
      const { files } = site
      const keys = [site.keys.ours]
      const old = await signedLibrary(BAD, { revision: 6, keys })
      for (const served of [old, files]) {
        site.files = served
        await (await open(site)).close()
      }
      site.files = old
      await showsNothingElse(site)
    }),
    test('refuses an expired library', async site => {
      site.files = await signedLibrary(TEA, {
        ...{ revision: 7, keys: [site.keys.ours] },
        expires: now() - DAY,
      })
      await isRefused(site)
      site.files = editCatalog(site.files, /"expires":\d+/, () => `"expires":${now() + DAY}`)
      await isRefused(site)
    }),
    test('refuses a library that too few keys have signed', async site => {
      const { ours, next, other } = site.keys
      site.publicKeys = [ours.publicKey, next.publicKey]
      site.signatureThreshold = 2
      for (const keys of [[ours], [ours, ours], [ours, other]]) {
        site.files = await signedLibrary(TEA, { revision: 7, keys })
        await isRefused(site)
      }
      site.files = await signedLibrary(TEA, { revision: 7, keys: [next, ours] })
      await (await open(site)).close()
    }),
    test('keeps its skills if a refresh finds what is not trusted', async site => {
      await using library = await open(site)
      const { ours, other } = site.keys
      const attacks = [
        { revision: 9, keys: [] },
        { revision: 9, keys: [other] },
        { revision: 6, keys: [ours] },
        { revision: 9, keys: [ours], expires: now() - DAY },
      ]
      for (const attack of attacks) {
        site.files = await signedLibrary(BAD, attack)
        await library.refresh().catch(() => undefined)
        check(library.snapshot.skills.length > 0, 'the skills are gone')
        await showsSigned(library)
      }
    }),
    test('shows no file of another skill, revision or hand', async site => {
      const both = await signedLibrary({ ...TEA, ...CUP }, { revision: 7, keys: [site.keys.ours] })
      const paths = await Promise.all(
        Object.values(TEA).map((text, index) => fileOf(text, index === 0)),
      )
      const others = Object.values({ ...BAD, ...CUP }).map(text => new TextEncoder().encode(text))
      for (const path of paths) {
        const signed = both[path] as Uint8Array<ArrayBuffer>
        for (const bytes of [...others, new Uint8Array(0), Uint8Array.of(...signed, 10)]) {
          site.files = { ...both, [path]: bytes }
          await showsNothingElse(site)
        }
      }
    }),
    test('shows no mix of two revisions', async site => {
      const bad = await signedLibrary(BAD, { revision: 6, keys: [site.keys.ours] })
      const { [CATALOG_FILE]: catalog, ...files } = site.files
      const oldFiles = Object.values(bad)
      const mixed = Object.keys(files).map(
        (path, index) => [path, oldFiles[index % oldFiles.length]] as const,
      )
      site.files = {
        ...(Object.fromEntries(mixed) as PublishedFiles),
        [CATALOG_FILE]: catalog as Uint8Array<ArrayBuffer>,
      }
      await showsNothingElse(site)
    }),
    ...['the catalog', 'a SKILL.md', 'a file of a skill'].map((what, index) =>
      test(`stops reading ${what} that never ends`, async site => {
        const paths = [
          CATALOG_FILE,
          await fileOf(TEA['tea/SKILL.md'], true),
          await fileOf(TEA['tea/notes.md'], false),
        ]
        site.endless = paths[index]
        await staysBounded(site)
      }),
    ),
  ].filter(({ name }) => !skip.includes(name))
}

/** Nobody sees anything else than the publisher signed; what is not there is not seen. */
async function showsSigned(library: SkillLibrary): Promise<void> {
  for (const { name, description } of library.snapshot.skills) {
    if (name === 'tea') equal(description, 'Brews oolong in a pot.', 'the description of tea')
  }
  const skill = await library.get('tea').catch(() => undefined)
  if (skill) equal(skill.text, TEA['tea/SKILL.md'], 'the SKILL.md of tea')
  const notes = await library.read('tea', 'notes.md').catch(() => undefined)
  if (notes) equal(notes.text, TEA['tea/notes.md'], 'notes.md of tea')
}

let sites = 0

/** A site with revision 7 of the library. */
async function createWorld(maxBytes: number): Promise<World> {
  const { createKeys } = await loadSignature()
  const [ours, next, other] = await Promise.all([createKeys(), createKeys(), createKeys()])
  const url = `https://publisher-${++sites}.example/skills/`
  const world: World = {
    url,
    fetch: async (input, init) => {
      const request = new Request(input, init)
      const path = decodeURIComponent(request.url.slice(url.length).replace(/[?#].*$/, ''))
      if (!request.url.startsWith(url)) return new Response(null, { status: 404 })
      if (path === world.endless) return new Response(endlessBody(world, maxBytes))
      const bytes = world.files[path]
      return bytes ? new Response(bytes) : new Response(null, { status: 404 })
    },
    publicKeys: [ours.publicKey],
    signatureThreshold: 1,
    seenRevisions: new Map(),
    files: await signedLibrary(TEA, { revision: 7, keys: [ours] }),
    endless: undefined,
    taken: 0,
    keys: { ours, next, other },
  }
  return world
}

/** More bytes than a reader may take. It ends at last, so that a reader without a limit fails instead of hanging. */
function endlessBody(world: World, maxBytes: number): ReadableStream<Uint8Array> {
  let sent = 0
  return new ReadableStream({
    pull(controller) {
      sent += CHUNK.length
      world.taken = Math.max(world.taken, sent)
      controller.enqueue(CHUNK.slice())
      if (sent > maxBytes + 16 * CHUNK.length) controller.close()
    },
  })
}

/** Where a packed library has a file. */
async function fileOf(text = '', isSkill = false): Promise<string> {
  const { digestOf } = await loadDigest()
  const { packedFile } = await loadPackedFiles()
  return packedFile(digestOf(new TextEncoder().encode(text)), isSkill ? '.md' : 'notes.md')
}

const now = (): number => Math.floor(Date.now() / 1_000)
