/**
 * What a packed file is there for. `file` and `segment` are the library, `catalog` names them; `archive` and `copy` hold skills whole, for
 * clients of well-known v0.2 and v0.1, `index` names those; `hosting` tells a static host how to serve all of it.
 */
export type PackedPart = 'file' | 'segment' | 'archive' | 'copy' | 'hosting' | 'index' | 'catalog'

/** A file to write, relative to where the library is put. */
export interface PackedOutput {
  path: string
  bytes: Uint8Array<ArrayBuffer>
  part: PackedPart
}
