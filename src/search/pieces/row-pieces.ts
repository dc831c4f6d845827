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
  const vectors = centres && emptyVectors(centres, skills)
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
      vectors,
    },
    hasRow: skill => read.has(numberOf(skill)),
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
      const lines = line && readColumn(line)
      const segment = segm && openSegment(segm)
      const start = startOf(number)
      const length = startOf(number + 1) - start
      if (!lines || lines.length !== length || segment?.length !== length) return false
      if (vectors) {
        const own = segment.vectors
        if (own?.space !== vectors.space || own.dimensions !== vectors.dimensions) return false
        vectors.bytes.set(own.bytes, start * vectors.dimensions)
        vectors.scales.set(own.scales, start)
      }
      read.set(number, { lines, segment })
      return true
    },
  }
}

/** Vectors of skills that are not read are zeros, which are near to no message. */
export function emptyVectors(
  { space, dimensions }: Pick<Vectors, 'space' | 'dimensions'>,
  skills: number,
): Vectors {
  return {
    space,
    dimensions,
    bytes: new Int8Array(skills * dimensions),
    scales: new Float32Array(skills),
  }
}
