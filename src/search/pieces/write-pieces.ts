import { writeSections } from '../../core/byte-sections.js'
import { writeColumn } from '../index/column.js'
import { bytesIn, scaleOf } from '../index/packed-vectors.js'
import { partsOf, vectorsOf } from '../index/select.js'
import type { Vectors } from '../index/vectors.js'
import { writeSegment } from '../index/write.js'
import { writeCentres } from './centres.js'
import { centreOf, clusterSkills, type FloatVectors, runs, toFloats } from './clusters.js'
import { type EncoderTraits, writeEncoderPieces } from './encoder-pieces.js'
import { type Piece, rowSkills, writePiece } from './piece-format.js'
import { writeList } from './piece-list.js'
import type { PiecedSkill } from './pieced-skill.js'
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
  const encoded = encoder && toFloats(encodedVectors(skills, encoder))
  const grouped = floats ?? encoded
  const clusters = grouped ? clusterSkills(grouped, size) : runs([...skills.keys()], size)
  const order = clusters.flat().map(number => skills[number] as PiecedSkill)
  const { firstTerms, terms, common } = writeTermFiles(order)
  const rows = clusters.map(cluster => writeRows(cluster.map(at => skills[at] as PiecedSkill)))
  const besideRows =
    encoder &&
    encoded &&
    writeEncoderPieces({
      traits: encoder,
      clusters: clusters.map(cluster => cluster.map(at => skills[at]?.encoded)),
      centres: centresOf(encoded, clusters),
    })
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
    encoder: besideRows && { space: besideRows.space, list: besideRows.list.file },
  })
  return { list, others: [...terms, ...common.files, ...rows, ...(besideRows?.files ?? [])] }
}

/** The vectors of the encoder, in the order of the skills. */
function encodedVectors(
  skills: readonly PiecedSkill[],
  { space, dimensions }: EncoderTraits,
): Vectors {
  const bytes = new Int8Array(skills.length * dimensions)
  const scales = new Float32Array(skills.length)
  for (const [number, { encoded }] of skills.entries()) {
    if (!encoded) continue
    bytes.set(bytesIn(encoded.vector), number * dimensions)
    scales[number] = scaleOf(encoded.vector)
  }
  return { space, dimensions, bytes, scales }
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
