import { digestOf, shortDigest } from '../../../core/digest.js'
import { CATALOG_FILE } from '../../../source/catalog-file.js'
import type { SkillSource } from '../../../source/source.js'
import { type PackSummary, writePack } from './pack.js'
import type { PackOptions, PlanOptions } from './pack-options.js'
import { planPack } from './plan.js'

export type PackedContents = ReadonlyMap<string, Uint8Array<ArrayBuffer>>

export interface PackedFiles {
  /** The catalog is the last one. */
  files: PackedContents
  /** Digest of the catalog. It changes with every packed skill. */
  revision: string
}

/** Packs a source. All its files stay in memory. */
export async function packToMemory(
  source: SkillSource,
  { wellKnown, ...options }: PlanOptions & Pick<PackOptions, 'wellKnown'>,
): Promise<PackedFiles & { summary: PackSummary }> {
  const plan = await planPack(source, { ...options, hold: Number.POSITIVE_INFINITY })
  const files = new Map<string, Uint8Array<ArrayBuffer>>()
  const outputs = writePack(plan, { ...options, wellKnown })
  let next = await outputs.next()
  for (; !next.done; next = await outputs.next()) files.set(next.value.path, next.value.bytes)
  const revision = shortDigest(digestOf(files.get(CATALOG_FILE) as Uint8Array))
  return { files, summary: next.value, revision }
}

/** Keeps a packed library in memory. `packSource` is retried once, because editors write temporary files that vanish. */
export function livePack<Packed extends PackedFiles>(
  packSource: (current: Packed | undefined) => Promise<Packed>,
) {
  let current: Packed | undefined
  let previous: Packed | undefined
  return {
    /** Packs the source again and replaces the library as a whole. Calls must not overlap. */
    async update(): Promise<{ packed: Packed; changed: boolean }> {
      const packed = await packSource(current).catch(() => packSource(current))
      const changed = packed.revision !== current?.revision
      if (changed) previous = current
      current = packed
      return { packed, changed }
    },
    /** Reads a file of the library, or of the previous pack, because clients may hold its catalog. */
    read(path: string): { bytes: Uint8Array<ArrayBuffer>; version: string } | undefined {
      const bytes = current?.files.get(path) ?? previous?.files.get(path)
      return bytes && { bytes, version: shortDigest(digestOf(bytes)) }
    },
  }
}

export function memoryFiles(files: PackedContents, name: string): SkillSource {
  return {
    name,
    read: async path => {
      const bytes = files.get(path)
      return bytes && { bytes }
    },
  }
}
