import { SkillshelfError, throwIfAborted } from '../core/errors.js'
import { rethrowCallbackError } from '../core/progress.js'
import type { Addressed, Listable } from '../source/kinds.js'
import type { FetchResult, FileEntry } from '../source/types.js'
import { INDEX_V1, INDEX_V2 } from '../source/well-known/addresses.js'
import { isRefusal, type Located } from './locate.js'
import { fileTree } from './locate-file.js'
import { fileKindOf, isPage } from './locate-kind.js'
import { CATALOG_FILE } from './packed.js'

/** Finds out what an address is that names one file: nothing else is asked for. */
export async function locateFile(source: Addressed, signal: AbortSignal | undefined): Promise<Located> {
  const found = await source.fetch('', signal ? { signal } : {})
  if (found === undefined || found === 'unchanged') {
    const place = placeOf(source)
    throw new SkillshelfError('source-not-found', `There is nothing at ${place}`, {
      subject: place,
      hint: 'check the address; a folder ends in a slash',
    })
  }
  const tree = await treeOf(source, '', found, [])
  if (tree) return { kind: 'tree', source: tree }
  throw new SkillshelfError(
    'format',
    `${found.url} is no zip, tar.gz or tar, no JSON bundle of skills, no index of a skill site, and no SKILL.md`,
    { subject: found.url, hint: 'check what it gives: a page that asks to sign in, or tells of an error?' },
  )
}

/**
 * Finds out what stands at an address without a packed library: a skill site, v0.2 before v0.1, or one file; or else the skill site of its
 * host. All are asked for side by side, and the first that is there in this order counts.
 * @param failure Why it is not known whether there is a packed library.
 */
export async function locateAddress(
  source: Addressed,
  failure: unknown,
  signal: AbortSignal | undefined,
): Promise<Located> {
  throwIfAborted(signal)
  const stop = new AbortController()
  const abort = (): void => stop.abort(signal?.reason)
  signal?.addEventListener('abort', abort, { once: true })
  const asked = addressesOf(source).map(address => ({
    address,
    answer: settle(source.fetch(address, { signal: stop.signal })),
  }))
  const notes: FileEntry[] = []
  let unusable: unknown
  let failed = failure
  try {
    for (const { address, answer } of asked) {
      const { found, error } = await answer
      throwIfAborted(signal)
      rethrowCallbackError(error)
      if (!found) {
        // The host is only asked because there was nothing at the address.
        if (!address.startsWith('/') && !isRefusal(error)) failed ??= error
        continue
      }
      try {
        const tree = await treeOf(source, address, found, notes)
        if (tree) return { kind: 'tree', source: tree }
      } catch (error) {
        throwIfAborted(signal)
        unusable ??= error
        notes.push({ path: address.replace(/^\//, '') || 'file', unreadable: messageOf(error) })
      }
    }
  } finally {
    signal?.removeEventListener('abort', abort)
    // What is still under way is wanted no more.
    stop.abort()
  }
  throw unusable ?? failed ?? nothingAt(source)
}

/** Relative to the source's own address, best first. */
function addressesOf(source: Addressed): readonly string[] {
  const here = [INDEX_V2, INDEX_V1, '']
  return /^[a-z][a-z0-9+.-]*:\/\/[^/]*\/$/i.test(placeOf(source)) ? here : [...here, `/${INDEX_V2}`, `/${INDEX_V1}`]
}

async function treeOf(
  source: Addressed,
  address: string,
  found: FetchResult,
  notes: readonly FileEntry[],
): Promise<Listable | undefined> {
  const kind = address === '' ? fileKindOf(found) : undefined
  if (kind && kind.kind !== 'index') return fileTree(source, found, kind, notes)
  if (!kind && (address === '' || isPage(found))) return undefined
  const { wellKnown } = await import('../source/well-known/well-known.js')
  return wellKnown(source, { index: address, found, notes })
}

async function settle(
  answer: Promise<FetchResult | 'unchanged' | undefined>,
): Promise<{ found?: FetchResult | undefined; error?: unknown }> {
  try {
    const found = await answer
    return found === 'unchanged' ? {} : { found }
  } catch (error) {
    return { error }
  }
}

function placeOf(source: Addressed): string {
  return source.root?.('') ?? source.name
}

function nothingAt(source: Addressed): SkillshelfError {
  const place = placeOf(source)
  return new SkillshelfError(
    'source-not-found',
    `${source.name} has no ${CATALOG_FILE}, and ${place} is no skill site (${INDEX_V2} or ${INDEX_V1}), archive, JSON bundle or SKILL.md`,
    { subject: source.name, hint: 'run `npx skillshelf pack` on the folder of skills and serve what it writes' },
  )
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
