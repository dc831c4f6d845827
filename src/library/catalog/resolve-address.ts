import { linkedController } from '../../core/abort.js'
import { errorMessage, isClientError, SkillshelfError, throwIfAborted } from '../../core/errors.js'
import { onDemand } from '../../core/load-module.js'
import { rethrowCallbackError } from '../../core/progress.js'
import { CATALOG_FILE } from '../../source/catalog-file.js'
import type {
  FetchableSource,
  FetchResult,
  FileEntry,
  ListableSource,
} from '../../source/source.js'
import { INDEX_V1, INDEX_V2 } from '../../source/well-known/site-paths.js'
import type { Located } from './catalog-entry.js'
import { containerTree, detectContainer, isHtml } from './container.js'

const loadWellKnown = onDemand(() => import('../../source/well-known/well-known.js'))

/** Opens a source whose address names one file. No other address is requested. */
export async function resolveFile(
  source: FetchableSource,
  signal: AbortSignal | undefined,
): Promise<Located> {
  const found = await source.fetch('', { signal })
  if (found === undefined || found === 'unchanged') {
    const address = addressOf(source)
    throw new SkillshelfError('source-not-found', `Nothing found at ${address}`, {
      subject: address,
      hint: 'check the address; the address of a folder ends in a slash',
    })
  }
  const tree = await openTree(source, '', found, [])
  if (tree) return { kind: 'tree', source: tree }
  const message = `${found.url} is not a zip, tar.gz or tar archive, a JSON bundle of skills, the index of a skill site, or a SKILL.md`
  const hint = 'open the address in a browser; it may be a login or error page'
  throw new SkillshelfError('format', message, { subject: found.url, hint })
}

/** Opens an address without a packed library: the first usable of a skill site, a file, the site of the host; else throws `failure`. */
export async function resolveAddress(
  source: FetchableSource,
  failure: unknown,
  signal: AbortSignal | undefined,
): Promise<Located> {
  throwIfAborted(signal)
  const { controller, unlink } = linkedController(signal)
  const requests = candidateAddresses(source).map(address => ({
    address,
    response: source.fetch(address, { signal: controller.signal }).then(
      found => ({ found: found === 'unchanged' ? undefined : found, error: undefined }),
      (error: unknown) => ({ found: undefined, error }),
    ),
  }))
  const problems: FileEntry[] = []
  let unusable: unknown
  let failed = failure
  try {
    for (const { address, response } of requests) {
      const { found, error } = await response
      throwIfAborted(signal)
      rethrowCallbackError(error)
      if (!found) {
        // The host's own site is a fallback: its errors say nothing about the given address.
        if (!address.startsWith('/') && !isClientError(error)) failed ??= error
        continue
      }
      try {
        const tree = await openTree(source, address, found, problems)
        if (tree) return { kind: 'tree', source: tree }
      } catch (error) {
        throwIfAborted(signal)
        unusable ??= error
        problems.push({
          path: address.replace(/^\//, '') || 'file',
          unreadable: errorMessage(error),
        })
      }
    }
  } finally {
    unlink()
    controller.abort()
  }
  throw unusable ?? failed ?? nothingFound(source)
}

/** Relative to the address of the source, best first. */
function candidateAddresses(source: FetchableSource): readonly string[] {
  const own = [INDEX_V2, INDEX_V1, '']
  const isHost = /^[a-z][a-z0-9+.-]*:\/\/[^/]*\/$/i.test(addressOf(source))
  return isHost ? own : [...own, `/${INDEX_V2}`, `/${INDEX_V1}`]
}

async function openTree(
  source: FetchableSource,
  address: string,
  found: FetchResult,
  problems: readonly FileEntry[],
): Promise<ListableSource | undefined> {
  const container = address === '' ? detectContainer(found) : undefined
  if (container && container.kind !== 'index') {
    return containerTree(source, found, container, problems)
  }
  if (!container && (address === '' || isHtml(found))) return undefined
  const { wellKnown } = await loadWellKnown()
  return wellKnown(source, { index: address, found, problems })
}

function addressOf(source: FetchableSource): string {
  return source.root?.('') ?? source.name
}

function nothingFound(source: FetchableSource): SkillshelfError {
  return new SkillshelfError(
    'source-not-found',
    `${source.name} has no ${CATALOG_FILE}, and ${addressOf(source)} is not a skill site (${INDEX_V2} or ${INDEX_V1}), archive, JSON bundle or SKILL.md`,
    {
      subject: source.name,
      hint: 'run `npx skillshelf pack` on the folder of skills and serve its output',
    },
  )
}
