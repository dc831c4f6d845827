import type { AbortOptions } from '../../core/abort.js'
import { isClientError, isSkillshelfError, SkillshelfError } from '../../core/errors.js'
import { onDemand } from '../../core/load-module.js'
import { CATALOG_FILE } from '../../source/catalog-file.js'
import { isFileAddress } from '../../source/http/address.js'
import { isUnreachable } from '../../source/http/request.js'
import type { FetchableSource, ListableSource, SkillSource } from '../../source/source.js'
import type { Located } from './catalog-entry.js'

const loadAddresses = onDemand(() => import('./resolve-address.js'))

/**
 * Detects how a source holds its skills. A packed library costs one read. Otherwise a source with `list` is a tree of folders, and a
 * source with `fetch` may be a skill site, an archive, a JSON bundle or one SKILL.md.
 * @throws SkillshelfError `source-not-found` if nothing is found, `format` or `unsupported` if it cannot be used, or as the source throws.
 */
export async function findCatalog(
  source: SkillSource,
  { signal }: AbortOptions = {},
): Promise<Located> {
  const addressed = isAddressed(source)
  if (addressed && isFileAddress(source.root?.('') ?? '')) {
    const { resolveFile } = await loadAddresses()
    return resolveFile(source, signal)
  }
  let failure: unknown
  try {
    const catalog = await source.read(CATALOG_FILE, { signal })
    if (catalog !== undefined && catalog !== 'unchanged') return { kind: 'packed', source, catalog }
  } catch (error) {
    if (!addressed || !mayBeMissing(error)) throw error
    failure = error
  }
  if (isListable(source)) return { kind: 'tree', source }
  if (addressed) {
    const { resolveAddress } = await loadAddresses()
    return resolveAddress(source, failure, signal)
  }
  throw new SkillshelfError('source-not-found', `${source.name} has no ${CATALOG_FILE}`, {
    subject: source.name,
    hint: 'run `npx skillshelf pack` on the folder of skills and serve its output',
  })
}

/** True if the catalog may be missing: without CORS headers on a 404 page, a browser reports only a `TypeError`. */
function mayBeMissing(error: unknown): boolean {
  const opaque =
    isSkillshelfError(error, 'source-failed') &&
    error.details.status === undefined &&
    !isUnreachable(error)
  return (
    isClientError(error) ||
    (opaque && globalThis.location !== undefined && error.cause instanceof TypeError)
  )
}

function isListable(source: SkillSource): source is ListableSource {
  return source.list !== undefined
}

/** A source with both `list` and `fetch` is read by its files. */
function isAddressed(source: SkillSource): source is FetchableSource {
  return source.fetch !== undefined && source.list === undefined
}
