import { lazy } from '../../core/concurrency.js'
import { errorMessage, invalidInput, SkillshelfError } from '../../core/errors.js'
import { isStrings } from '../../core/plain-data.js'
import { checkOptionNames, type OptionNames } from '../../core/text/option-names.js'
import {
  type CatalogCheck,
  CHECK,
  type CheckedReadOptions,
  type CheckedSource,
} from '../../source/catalog-check.js'
import { CATALOG_FILE } from '../../source/catalog-file.js'
import type { SkillSource } from '../../source/source.js'
import { handOnProblem } from '../../source/source-problem.js'
import { deviceRevisions, type SeenRevisions } from './seen-revisions.js'
import { importPublicKeys, untrusted, verifyCatalog } from './signature.js'

/** Options of `signed`. */
export interface SignedOptions {
  /** Ed25519 public keys in PEM, as `skillshelf keys new` writes them. One of them must have signed the library. */
  publicKeys: readonly string[]
  /** Keeps the highest revision seen: a library with a lower one is refused. @default IndexedDB in a browser; elsewhere in memory */
  seenRevisions?: SeenRevisions | undefined
}

const OPTIONS = { publicKeys: 1, seenRevisions: 1 } satisfies OptionNames<SignedOptions>

/**
 * A source that shows a packed library only if it is signed: see `skillshelf pack --sign`. For one layer of several, or below `cached`;
 * `openLibrary(url, { publicKeys })` does the same for all of its sources.
 * @param source The source of a packed library.
 * @returns A source. Reading it throws `untrusted` if the library is unsigned, altered, older than one seen before, or signed by another key.
 * @throws SkillshelfError `invalid-input`
 * @example
 * ```ts
 * import { http, openLibrary } from 'skillshelf'
 * import { signed } from 'skillshelf/sources'
 *
 * const mine = { 'greet/SKILL.md': '---\nname: greet\ndescription: Greets people.\n---\nSay hello.' }
 * const theirs = signed(http('https://example.com/skills/'), { publicKeys: [TEAM_KEY] })
 * const library = await openLibrary([mine, theirs])
 * ```
 */
export function signed(source: SkillSource, options: SignedOptions): SkillSource {
  checkOptionNames(options, OPTIONS)
  const { publicKeys, seenRevisions } = options
  if (!isStrings(publicKeys) || publicKeys.length === 0) {
    throw invalidInput(
      '"publicKeys" must be an array of public keys in PEM',
      'an empty array would refuse every library',
    )
  }
  const { name, root, watch, timeout } = source
  const seen = seenRevisions ?? deviceRevisions()
  const subject = `${CATALOG_FILE} of ${name}`
  const keys = lazy(() => importPublicKeys(publicKeys))

  /** The highest revision of a copy by key. It may outlive the revisions seen, which are in memory outside of browsers. */
  const copiedRevisions = new Map<string, number>()
  /** Copies that were accepted. Readers see them through this source too. */
  const acceptedCopies = new Set<string>()

  const checkRevision = async (key: string, revision: number): Promise<void> => {
    const seenRevision = Math.max(Number((await seen.get(key)) ?? 0), copiedRevisions.get(key) ?? 0)
    // Not `<`: what is not a number refuses.
    if (!(revision >= seenRevision)) {
      throw untrusted(
        subject,
        `has revision ${revision}, but revision ${seenRevision} was seen before`,
        'someone may have put back an old version; publish it again with a higher revision',
      )
    }
    if (revision > seenRevision) await seen.set(key, revision)
  }

  /** `read`: through this source, which may be a copy that was accepted before. */
  const verify = async (
    catalog: Parameters<CatalogCheck>[0],
    from: 'source' | 'copy' | 'read',
  ): Promise<void> => {
    if (catalog === undefined) {
      throw untrusted(name, `has no ${CATALOG_FILE}, so it is not signed`, 'pack it with --sign')
    }
    const { revision, signers, digest } = await verifyCatalog(catalog, await keys(), subject)
    const seenKeys = signers.map(id => `${source.root?.('') ?? name} ${id}`)
    if (from === 'copy') {
      acceptedCopies.add(digest)
      for (const key of seenKeys) {
        copiedRevisions.set(key, Math.max(revision, copiedRevisions.get(key) ?? 0))
      }
      return
    }
    if (from === 'read' && acceptedCopies.has(digest)) return
    try {
      for (const key of seenKeys) await checkRevision(key, revision)
    } catch (error) {
      if (error instanceof SkillshelfError) throw error
      throw untrusted(
        subject,
        `cannot be compared with the revision seen before: ${errorMessage(error)}`,
      )
    }
  }

  const check: CatalogCheck = (catalog, { isCopy }) => verify(catalog, isCopy ? 'copy' : 'source')

  const checked: CheckedSource = {
    name,
    async read(path, { signal, ifVersion, ...rest }: CheckedReadOptions = {}) {
      // Whole files only, and no digests that the source claims: both would be believed.
      // S9: an offline copy is checked before it is replaced, so it gets the check.
      const options: CheckedReadOptions = {
        signal,
        ifVersion,
        [CHECK]: [check, ...(rest[CHECK] ?? [])],
      }
      const found = await source.read(path, options)
      if (path === CATALOG_FILE) {
        if (found === undefined && source.list) await verify(undefined, 'read')
        if (typeof found === 'object') await verify(found.bytes, 'read')
      }
      if (found === undefined || found === 'unchanged') return found
      const { bytes, version } = found
      return version === undefined ? { bytes } : { bytes, version }
    },
    ...(root ? { root: root.bind(source) } : {}),
    ...(watch ? { watch: watch.bind(source) } : {}),
    ...(timeout === undefined ? {} : { timeout }),
    close: async () => source.close?.(),
    ...handOnProblem(source),
    [CHECK]: [...((source as CheckedSource)[CHECK] ?? []), check],
  }
  return checked
}
