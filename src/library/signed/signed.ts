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
  /** Number of these keys that must have signed the library. @default 1 */
  signatureThreshold?: number | undefined
  /** Keeps the highest revision seen: a library with a lower one is refused. @default IndexedDB in a browser; elsewhere in memory */
  seenRevisions?: SeenRevisions | undefined
}

const OPTIONS = {
  publicKeys: 1,
  signatureThreshold: 1,
  seenRevisions: 1,
} satisfies OptionNames<SignedOptions>
/** Seconds that a copy is shown after it has expired: 30 days. */
const OFFLINE_GRACE = 30 * 86_400

/**
 * A source that shows a packed library only if it is signed: see `skillshelf pack --sign`. For one layer of several, or below `cached`;
 * `openLibrary(url, { publicKeys })` does the same for all of its sources.
 * @param source The source of a packed library.
 * @returns A source. Reading it throws `untrusted` if the library is unsigned, altered, expired, older than one seen before, or signed by too few keys.
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
  const { publicKeys, signatureThreshold: threshold = 1, seenRevisions } = options
  if (!isStrings(publicKeys) || publicKeys.length === 0) {
    throw invalidInput(
      '"publicKeys" must be an array of public keys in PEM',
      'an empty array would refuse every library',
    )
  }
  const known = isStrings(publicKeys) ? new Set(publicKeys).size : 0
  if (!(Number.isInteger(threshold) && threshold >= 1 && threshold <= known)) {
    throw invalidInput(
      `"signatureThreshold" must be a whole number from 1 to ${known}, not ${String(threshold)}`,
      'it counts keys of "publicKeys"',
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
  /** When what was read last is refused. A source may say `unchanged` for ever. */
  let refusedAfter = Number.POSITIVE_INFINITY

  const checkFresh = (until: number): void => {
    if (Date.now() / 1_000 <= until) return
    throw untrusted(
      subject,
      'has expired',
      'its publisher signs it again, if it is still right; check the clock of this device too',
    )
  }

  // T6
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
    // T1
    if (catalog === undefined) {
      throw untrusted(name, `has no ${CATALOG_FILE}, so it is not signed`, 'pack it with --sign')
    }
    const verified = await verifyCatalog(catalog, await keys(), { subject, threshold })
    const { revision, expires = Number.POSITIVE_INFINITY, signers, digest } = verified
    // T5
    const isCopy = from === 'copy' || (from === 'read' && acceptedCopies.has(digest))
    const until = expires + (isCopy ? OFFLINE_GRACE : 0)
    checkFresh(until)
    if (from === 'read') refusedAfter = until
    const seenKeys = signers.map(id => `${source.root?.('') ?? name} ${id}`)
    if (from === 'copy') {
      // T7
      acceptedCopies.add(digest)
      for (const key of seenKeys) {
        copiedRevisions.set(key, Math.max(revision, copiedRevisions.get(key) ?? 0))
      }
      return
    }
    if (isCopy) return
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
        if (found === 'unchanged') checkFresh(refusedAfter)
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
