import { writeSections } from '../../core/byte-sections.js'
import { writeColumn } from '../index/column.js'
import { partsOf, vectorsOf } from '../index/select.js'
import { writeSegment } from '../index/write.js'
import { writeCentres } from './centres.js'
import { centreOf, clusterSkills, type FloatVectors, runs, toFloats } from './clusters.js'
import { type EncoderTraits, writeEncoderPieces } from './encoder-pieces.js'
import { type Piece, rowSkills } from './piece-format.js'
import type { PiecedSkill } from './pieced-skill.js'
import { writeList } from './write-list.js'
import { writePiece } from './write-piece.js'
import { writeTermFiles } from './write-terms.js'

/** A library in pieces. */
export interface Pieces {
  /** The list of all others. */
  list: Piece
  others: readonly Piece[]
}

/**
 * Cuts skills of segments into pieces. The same skills give the same bytes.
 * @param encoder The encoder of the vectors that all skills have then.
 */
export function writePieces(skills: readonly PiecedSkill[], encoder?: EncoderTraits): Pieces {
  const vectors = vectorsOf(skills)
  const size = rowSkills(skills.length)
  const floats = vectors && toFloats(vectors)
  const clusters = floats ? clusterSkills(floats, size) : runs([...skills.keys()], size)
  const order = clusters.flat().map(number => skills[number] as PiecedSkill)
  const { firstTerms, terms, common } = writeTermFiles(order)
  const rows = clusters.map(cluster => writeRows(cluster.map(at => skills[at] as PiecedSkill)))
  const ofEncoder =
    encoder &&
    writeEncoderPieces(
      encoder,
      clusters.map(cluster => cluster.map(at => skills[at]?.encoded)),
    )
  let next = 0
  const rowStarts = Uint32Array.from(clusters, ({ length }) => {
    next += length
    return next - length
  })
  const list = writeList({
    skills: skills.length,
    firstTerms,
    termFiles: terms.map(({ file }) => file),
    common,
    commonStarts: common.starts,
    commonFiles: common.files.map(({ file }) => file),
    rowStarts,
    rowFiles: rows.map(({ file }) => file),
    centres: vectors && floats && writeCentres(vectors, centresOf(floats, clusters)),
    encoder: encoder && ofEncoder && { space: encoder.space, list: ofEncoder.list.file },
  })
  return { list, others: [...terms, ...common.files, ...rows, ...(ofEncoder?.files ?? [])] }
}

function writeRows(skills: readonly PiecedSkill[]): Piece {
  return writePiece(
    writeSections({
      line: writeColumn(skills.map(({ line }) => line)),
      segm: writeSegment({ ...partsOf(skills), terms: [] }),
    }),
  )
}

/** The centre of each cluster. */
function centresOf(
  { vectors, dimensions }: FloatVectors,
  clusters: readonly (readonly number[])[],
): Float32Array[] {
  return clusters.map(skills => centreOf(vectors, dimensions, skills))
}
