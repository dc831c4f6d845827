import { readSections, writeSections } from '../../core/sections.js'
import { type Vectors, vectorSections } from './vectors.js'

/** Returns the segment with these vectors instead of its own. */
export function addVectors(segment: Uint8Array, vectors: Vectors): Uint8Array<ArrayBuffer> {
  return writeSections({ ...Object.fromEntries(readSections(segment) ?? []), ...vectorSections(vectors) })
}
