import { digestOf, shortDigest } from '../../../core/digest.js'
import { onDemand } from '../../../core/load-module.js'

const loadDeflate = onDemand(() => import('../../../core/deflate.js'))

/** Bytes of a segment that is deflated, at most. */
const MAX_DEFLATED = 524_288

export interface SegmentFile {
  /** `<16 hex>.seg` */
  file: string
  bytes: Uint8Array<ArrayBuffer>
}

/**
 * A segment as a file of a packed library. A small one is deflated, because a page waits for its bytes. A large one is not: pages read such a
 * library in pieces, and a Worker would wait until it is inflated.
 */
export async function segmentFile(segment: Uint8Array<ArrayBuffer>): Promise<SegmentFile> {
  const bytes = segment.length > MAX_DEFLATED ? segment : (await loadDeflate()).deflate(segment)
  return { file: `${shortDigest(digestOf(bytes))}.seg`, bytes }
}
