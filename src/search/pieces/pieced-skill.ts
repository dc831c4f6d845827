import type { KeyedVector } from '../index/packed-vectors.js'
import type { SegmentSkill } from '../index/select.js'

/** A skill that is cut into a file of rows. */
export interface PiecedSkill extends SegmentSkill {
  /** Its entry, as one line of JSON. */
  line: string
  /** The folded names that find it. */
  names: readonly string[]
  tags: readonly string[]
  /** Its folder, and those of its copies. */
  folders: readonly string[]
  /** Of the encoder, if there is one. */
  encoded?: KeyedVector | undefined
}
