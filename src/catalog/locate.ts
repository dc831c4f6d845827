import { isSkillshelfError, SkillshelfError } from '../core/errors.js'
import { isFileAddress } from '../source/http/address.js'
import type { Addressed, Listable } from '../source/kinds.js'
import type { ReadResult, SkillSource } from '../source/types.js'
import { CATALOG_FILE } from './packed.js'

export type { Listable } from '../source/kinds.js'

/** What stands at a source: a packed library, or a tree of skill folders. The source of a tree may be another than the one given. */
export type Located = { kind: 'packed'; source: SkillSource; catalog: ReadResult } | { kind: 'tree'; source: Listable }

/**
 * Finds out what stands at a source. A packed library costs one read; what can be listed is a tree. At an address there may be a skill
 * site too, or one archive, JSON bundle or SKILL.md.
 * @throws SkillshelfError `source-not-found` where there is nothing, `format` or `unsupported` where it cannot be used, or as the source does
 */
export async function locate(
  source: SkillSource,
  { signal }: { signal?: AbortSignal | undefined } = {},
): Promise<Located> {
  const addressed = isAddressed(source)
  if (addressed && isFileAddress(source.root?.('') ?? '')) {
    const { locateFile } = await import('./locate-address.js')
    return locateFile(source, signal)
  }
  let failure: unknown
  try {
    const catalog = await source.read(CATALOG_FILE, signal ? { signal } : {})
    if (catalog !== undefined && catalog !== 'unchanged') return { kind: 'packed', source, catalog }
  } catch (error) {
    if (!addressed || !mayBeElsewhere(error)) throw error
    failure = error
  }
  if (isListable(source)) return { kind: 'tree', source }
  if (addressed) {
    const { locateAddress } = await import('./locate-address.js')
    return locateAddress(source, failure, signal)
  }
  throw new SkillshelfError('source-not-found', `${source.name} has no ${CATALOG_FILE}`, {
    subject: source.name,
    hint: 'run `npx skillshelf pack` on the folder of skills and serve what it writes',
  })
}

/** Something else may stand there: a page is told that a file is missing only where the host lets it read that answer. */
function mayBeElsewhere(error: unknown): boolean {
  const hidden = isSkillshelfError(error, 'source-failed') && error.details.status === undefined
  return isRefusal(error) || (hidden && globalThis.location !== undefined && error.cause instanceof TypeError)
}

/** What some hosts answer for files that are not there. */
export function isRefusal(error: unknown): boolean {
  const { status } = isSkillshelfError(error, 'source-failed') ? error.details : {}
  return status !== undefined && status >= 400 && status < 500 && status !== 408 && status !== 429
}

function isListable(source: SkillSource): source is Listable {
  return source.list !== undefined
}

/** A place that can be listed is one by its files. */
function isAddressed(source: SkillSource): source is Addressed {
  return source.fetch !== undefined && source.list === undefined
}
