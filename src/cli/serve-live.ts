import { rerunIfCalled } from '../core/concurrency.js'
import { digestOf, shortDigest } from '../core/digest.js'
import { CATALOG_FILE } from '../source/catalog-file.js'
import type { SkillSource } from '../source/types.js'
import { type PackOptions, type PackSummary, pack } from '../store/pack/pack.js'
import { commandError } from './errors.js'

/** A folder of skills as a packed library in memory. */
interface Packed {
  summary: PackSummary
  /** Changes with anything that was packed. */
  version: string
  files: ReadonlyMap<string, { bytes: Uint8Array<ArrayBuffer>; version: string }>
}

export interface LiveLibrary extends Pick<SkillSource, 'read'> {
  /** What was packed at first. */
  summary: PackSummary
  /** Stops following the folder. */
  close(): void
}

export interface LiveOptions {
  pack: PackOptions
  /** Something in the folder changed, and it was packed again. Waited for before it is packed once more. */
  onChange: (summary: PackSummary) => Promise<void>
  /** It cannot be packed as it is now; what was packed last stays. */
  onFailed: (error: unknown) => void
}

/**
 * Packs a folder of skills, and again whenever something in it changes. The library changes whole; who holds the one before still gets the files
 * that it names by digest.
 * @throws as `pack` where it cannot be packed at first
 */
export async function packLive(source: SkillSource, options: LiveOptions): Promise<LiveLibrary> {
  const { onChange, onFailed } = options
  // Editors write files that are gone before they are read: a second look settles that.
  const packed = (): Promise<Packed> =>
    packInMemory(source, options.pack).catch(() => packInMemory(source, options.pack))
  let current: Packed | undefined
  let previous: Packed | undefined
  const packAgain = rerunIfCalled(async () => {
    try {
      const next = await packed()
      if (next.summary.skills === 0) throw commandError('There is no skill any more')
      if (next.version === current?.version) return
      previous = current
      current = next
      await onChange(next.summary)
    } catch (error) {
      if (!options.pack.signal?.aborted) onFailed(error)
    }
  })
  let missed = false
  // Before the first look, so that nothing is missed.
  const close = source.watch?.(() => {
    if (current) void packAgain()
    else missed = true
  })
  try {
    current = await packed()
  } catch (error) {
    close?.()
    throw error
  }
  if (missed) void packAgain()
  return {
    summary: current.summary,
    async read(path) {
      const old = previous?.files.get(path)
      return current?.files.get(path) ?? (old && path.includes(old.version) ? old : undefined)
    },
    close: () => close?.(),
  }
}

async function packInMemory(source: SkillSource, options: PackOptions): Promise<Packed> {
  const files = new Map<string, { bytes: Uint8Array<ArrayBuffer>; version: string }>()
  const outputs = pack(source, options)
  let next = await outputs.next()
  for (; !next.done; next = await outputs.next()) {
    const { path, bytes } = next.value
    files.set(path, { bytes, version: shortDigest(digestOf(bytes)) })
  }
  return { summary: next.value, files, version: files.get(CATALOG_FILE)?.version ?? '' }
}
