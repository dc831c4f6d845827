import { digestOf, shortDigest } from '../../../core/digest.js'
import { CATALOG_FILE } from '../../../source/catalog-file.js'
import type { SkillSource } from '../../../source/types.js'
import { type PackOptions, type PackSummary, pack } from './pack.js'

/** A packed library in memory. */
export interface PackedFiles {
  /** Files by path. The catalog is the last one. */
  files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>
  /** Digest of the catalog. It changes with every packed skill. */
  revision: string
}

/** A packed library in memory that is packed again when its source changes. */
export interface LivePack<Packed extends PackedFiles> {
  /** Packs the source again and replaces the library as a whole. Calls must not overlap. */
  update(): Promise<{ packed: Packed; changed: boolean }>
  /** Reads a file of the library. Files of the previous pack stay readable if they are named by digest, because clients may hold its catalog. */
  read(path: string): { bytes: Uint8Array<ArrayBuffer>; version: string } | undefined
}

/** Packs a source into memory. */
export async function packToMemory(
  source: SkillSource,
  options: PackOptions,
): Promise<PackedFiles & { summary: PackSummary }> {
  const files = new Map<string, Uint8Array<ArrayBuffer>>()
  const outputs = pack(source, options)
  let next = await outputs.next()
  for (; !next.done; next = await outputs.next()) files.set(next.value.path, next.value.bytes)
  const catalog = files.get(CATALOG_FILE)
  return { files, summary: next.value, revision: catalog ? shortDigest(digestOf(catalog)) : '' }
}

/**
 * Keeps a packed library in memory.
 * @param packSource Packs the source, given the current library. Retried once, because editors write temporary files that vanish before
 * they are read.
 */
export function livePack<Packed extends PackedFiles>(
  packSource: (current: Packed | undefined) => Promise<Packed>,
): LivePack<Packed> {
  let current: Packed | undefined
  let previous: Packed | undefined
  return {
    async update() {
      const packed = await packSource(current).catch(() => packSource(current))
      const changed = packed.revision !== current?.revision
      if (changed) previous = current
      current = packed
      return { packed, changed }
    },
    read(path) {
      const bytes = current?.files.get(path) ?? previous?.files.get(path)
      if (!bytes) return undefined
      const version = shortDigest(digestOf(bytes))
      return current?.files.has(path) || path.includes(version) ? { bytes, version } : undefined
    },
  }
}
