/**
 * The purpose of a packed file:
 *
 * - `file`, `segment`, `catalog`: the packed library
 * - `archive`, `copy`, `index`: the skills for other clients, by well-known v0.2 and v0.1
 * - `hosting`: settings for static hosts
 */
export type PackedPart = 'file' | 'segment' | 'archive' | 'copy' | 'hosting' | 'index' | 'catalog'

/** Files that are named by their digest. */
export const NAMED_BY_DIGEST = /^(?:files\/[0-9a-f]{16}(?:\.[a-z0-9]{1,8})?|[0-9a-f]{16}\.seg)$/

/** A file to write. */
export interface PackedOutput {
  /** Relative to the root of the packed library. */
  path: string
  bytes: Uint8Array<ArrayBuffer>
  part: PackedPart
}
