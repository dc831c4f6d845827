import { lazy } from '../../core/concurrency.js'
import { errorMessage, invalidInput, SkillshelfError } from '../../core/errors.js'
import { isStrings } from '../../core/plain-data.js'
import { CATALOG_FILE } from '../../source/catalog-file.js'
import type { SkillSource } from '../../source/source.js'
import { deviceRevisions, type SeenRevisions } from './seen-revisions.js'
import { importPublicKeys, untrusted, verifyCatalog } from './signature.js'

/** Options of `signed`. */
export interface SignedOptions {
  /** Ed25519 public keys in PEM, as `skillshelf keys new` writes them. One of them must have signed the library. */
  publicKeys: readonly string[]
  /** Keeps the highest revision seen: a library with a lower one is refused. @default IndexedDB in a browser; elsewhere in memory */
  seenRevisions?: SeenRevisions | undefined
}

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
export function signed(source: SkillSource, { publicKeys, seenRevisions }: SignedOptions): SkillSource {
  if (!isStrings(publicKeys) || publicKeys.length === 0)
    throw invalidInput(
      '"publicKeys" must be an array of public keys in PEM',
      'an empty array would refuse every library',
    )
  const { name, root, watch, timeout } = source
  const seen = seenRevisions ?? deviceRevisions()
  const subject = `${CATALOG_FILE} of ${name}`
  const keys = lazy(() => importPublicKeys(publicKeys))

  const checkRevision = async (key: string, revision: number): Promise<void> => {
    const seenRevision = Number((await seen.get(key)) ?? 0)
    // Not `<`: what is not a number refuses.
    if (!(revision >= seenRevision))
      throw untrusted(
        subject,
        `has revision ${revision}, but revision ${seenRevision} was seen before`,
        'someone may have put back an old version; publish it again with a higher revision',
      )
    if (revision > seenRevision) await seen.set(key, revision)
  }
  return {
    name,
    async read(path, { signal, ifVersion } = {}) {
      // Whole files only, and no digests that the source claims: both would be believed.
      const found = await source.read(path, { signal, ifVersion })
      if (found === undefined && path === CATALOG_FILE && source.list)
        throw untrusted(name, `has no ${CATALOG_FILE}, so it is not signed`, 'pack it with --sign')
      if (found === undefined || found === 'unchanged') return found
      const { bytes, version } = found
      if (path === CATALOG_FILE) {
        const { revision, signers } = await verifyCatalog(bytes, await keys(), subject)
        try {
          for (const id of signers) await checkRevision(`${source.root?.('') ?? name} ${id}`, revision)
        } catch (error) {
          if (error instanceof SkillshelfError) throw error
          throw untrusted(subject, `cannot be compared with the revision seen before: ${errorMessage(error)}`)
        }
      }
      return version === undefined ? { bytes } : { bytes, version }
    },
    ...(root ? { root: root.bind(source) } : {}),
    ...(watch ? { watch: watch.bind(source) } : {}),
    ...(timeout === undefined ? {} : { timeout }),
    close: async () => source.close?.(),
  }
}
