import { readSections } from '../../core/byte-sections.js'
import { type Column, readColumn } from '../index/column.js'
import { openSegment, type Segment } from '../index/open.js'
import type { Vectors } from '../index/vectors.js'
import type { PieceList } from './piece-list.js'
import { lastNotAbove } from './term-pieces.js'

/** The skills of a library in pieces, as far as they are read. */
export interface RowPieces {
  /** What ranking needs of each skill. Skills that are not read look empty. */
  readonly skills: Pick<
    Segment,
    'names' | 'sequenceOf' | 'headOf' | 'messagesOf' | 'ruledOutOf' | 'vectors'
  >
  hasRow(skill: number): boolean
  /** The entry of a skill that is read, as JSON. */
  lineOf(skill: number): string
  /** The file of rows that has a skill. */
  fileOf(skill: number): string
  /** The skills of a file of rows. */
  skillsOf(file: string): number[]
  has(file: string): boolean
  isRead(file: string): boolean
  /** Adds a file. `false` if it is damaged. */
  add(file: string, content: Uint8Array): boolean
}

/** A file of rows that was read. */
interface Rows {
  lines: Column
  segment: Segment
}

const EMPTY = new Uint16Array(0)

export function createRowPieces(list: PieceList): RowPieces {
  const { skills, rowFiles, rowStarts, centres } = list
  const numbers = new Map(rowFiles.map((file, number) => [file, number]))
  const read = new Map<number, Rows>()
  /** 1 for each skill that is read. A ranking asks for all of them. */
  const isRead = new Uint8Array(skills)
  /** Of the skills that are read; made again after each of them. */
  let vectors: Vectors | undefined
  const numberOf = (skill: number): number => lastNotAbove(rowStarts, skill)
  const startOf = (number: number): number => rowStarts[number] ?? skills
  const find = (skill: number): { rows: Rows; at: number } | undefined => {
    const number = numberOf(skill)
    const rows = read.get(number)
    return rows && { rows, at: skill - startOf(number) }
  }
  const skillsOf = (file: string): number[] => {
    const number = numbers.get(file) ?? rowFiles.length
    const start = startOf(number)
    return Array.from({ length: startOf(number + 1) - start }, (_, at) => start + at)
  }
  return {
    skills: {
      names: {
        length: skills,
        get(skill) {
          const found = find(skill)
          return found?.rows.segment.names.get(found.at) ?? ''
        },
        startsWith: () => false,
      },
      sequenceOf(skill) {
        const found = find(skill)
        return found?.rows.segment.sequenceOf(found.at) ?? EMPTY
      },
      headOf(skill) {
        const found = find(skill)
        return found?.rows.segment.headOf(found.at) ?? 0
      },
      messagesOf(skill) {
        const found = find(skill)
        return found?.rows.segment.messagesOf(found.at) ?? []
      },
      ruledOutOf(skill) {
        const found = find(skill)
        return found?.rows.segment.ruledOutOf(found.at)
      },
      get vectors() {
        vectors ??= centres && joinVectors(centres, read, startOf)
        return vectors
      },
    },
    hasRow: skill => isRead[skill] === 1,
    lineOf(skill) {
      const found = find(skill)
      return found?.rows.lines.get(found.at) ?? ''
    },
    fileOf: skill => rowFiles[numberOf(skill)] ?? '',
    skillsOf,
    has: file => numbers.has(file),
    isRead: file => read.has(numbers.get(file) ?? -1),
    add(file, content) {
      const number = numbers.get(file) as number
      const sections = readSections(content)
      const [line, segm] = ['line', 'segm'].map(tag => sections?.get(tag))
      // An entry is JSON: one that is cut would be none.
      const lines = line && readColumn(line, line.length)
      const segment = segm && openSegment(segm)
      const length = startOf(number + 1) - startOf(number)
      if (!lines || lines.length !== length || segment?.length !== length) return false
      const own = segment.vectors
      if (centres && (own?.space !== centres.space || own.dimensions !== centres.dimensions)) {
        return false
      }
      read.set(number, { lines, segment })
      isRead.fill(1, startOf(number), startOf(number + 1))
      vectors = undefined
      return true
    },
  }
}

/** The vectors of the skills that are read, in the order of their numbers: ties must not depend on what was read first. */
function joinVectors(
  { space, dimensions }: Vectors,
  read: ReadonlyMap<number, Rows>,
  startOf: (number: number) => number,
): Vectors {
  const inOrder = [...read].sort(([a], [b]) => a - b)
  const rows = inOrder.reduce((sum, [, { segment }]) => sum + segment.length, 0)
  const bytes = new Int8Array(rows * dimensions)
  const scales = new Float32Array(rows)
  const skills = new Uint32Array(rows)
  let row = 0
  for (const [number, { segment }] of inOrder) {
    const { vectors, length } = segment
    if (vectors) bytes.set(vectors.bytes, row * dimensions)
    if (vectors) scales.set(vectors.scales, row)
    for (let at = 0; at < length; at++) skills[row + at] = startOf(number) + at
    row += length
  }
  return { space, dimensions, bytes, scales, skills }
}
