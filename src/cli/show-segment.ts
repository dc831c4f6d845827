import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { stripHidden } from '../core/sanitize.js'
import { readSections, u32, SECTIONS_VERSION as VERSION } from '../core/sections.js'
import { readColumn } from '../segment/column.js'
import type { SegmentHead } from '../segment/format.js'
import { openLexicon } from '../segment/lexicon.js'
import { openSegment } from '../segment/open.js'
import { commandError, EXIT } from './errors.js'
import { type Io, printJson, printLines } from './io.js'

import { colorsFor, table } from './table.js'
import { formatBytes, singleLine } from './text.js'

const SHOWN = 20

const SECTIONS: Readonly<Record<string, string>> = {
  head: 'what this is',
  name: 'names, display names and tags',
  lexi: 'terms',
  lexb: 'where blocks of terms start',
  post: 'which skill has which term, and its weight',
  seqo: 'where forward lists start',
  seqs: 'forward lists: the words of each skill in order',
  seqb: 'how long their heads are',
}

interface SegmentReport {
  file: string
  bytes: number
  version: number
  head: SegmentHead
  /** Whether this version of skillshelf searches it as it is. */
  current: boolean
  sections: { tag: string; bytes: number; holds: string }[]
  common: { term: string; skills: number }[]
  names: string[]
}

/** Explains a segment file to a person. */
export async function showSegment(io: Io, path: string, json: boolean): Promise<number> {
  const segment = readSegment(new Uint8Array(await readFile(path)), basename(path))
  if (json) {
    printJson(io, segment)
    return EXIT.ok
  }
  const colors = colorsFor(io)
  const { head } = segment
  const number = (value: number): string => value.toLocaleString('en')
  printLines(
    io,
    colors.bold(singleLine(segment.file)),
    `format version ${segment.version}, analyzer ${singleLine(head.analyzer)}, scoring ${singleLine(head.scoring)}`,
    `${number(head.skills)} skills, ${number(head.terms)} terms, ${number(head.postings)} postings, ${formatBytes(segment.bytes)}`,
    ...(segment.current
      ? []
      : [
          'This version of skillshelf analyses or scores otherwise: it builds the segment again from text when it opens.',
        ]),
    '',
  )
  io.stdout(
    table(
      io,
      [{ head: 'section' }, { head: 'bytes', right: true }, { head: 'holds', flexible: true }],
      segment.sections.map(({ tag, bytes, holds }) => [tag, number(bytes), holds]),
    ),
  )
  printLines(io, '')
  io.stdout(
    table(
      io,
      [{ head: 'most common terms' }, { head: 'skills', right: true }],
      segment.common.map(({ term, skills }) => [term, number(skills)]),
    ),
  )
  const more = head.skills - segment.names.length
  printLines(
    io,
    '',
    colors.dim('skills'),
    ...segment.names.map(singleLine),
    ...(more > 0 ? [`and ${number(more)} more`] : []),
  )
  return EXIT.ok
}

function readSegment(bytes: Uint8Array, file: string): SegmentReport {
  const bad = (what: string): Error => commandError(`${file} ${what}`, 'pack the skills again', 'format')
  const sections = readSections(bytes)
  if (!sections) {
    const magic = bytes.length >= 8 && String.fromCharCode(...bytes.subarray(0, 4)) === 'SHLF'
    const version = magic ? new DataView(bytes.buffer).getUint16(4, true) : undefined
    if (version === undefined) throw bad('is not a segment of a packed library')
    if (version !== VERSION) throw bad(`has format version ${version}; this skillshelf reads version ${VERSION}`)
    throw bad('is cut off')
  }
  try {
    const head = JSON.parse(new TextDecoder().decode(sections.get('head'))) as SegmentHead
    const need = (tag: string): Uint8Array => {
      const section = sections.get(tag)
      if (!section) throw bad(`has no section ${tag}`)
      return section
    }
    const lexi = need('lexi')
    const names = readColumn(need('name'))
    // A term takes three bytes at least: more cannot be true, and counting to it would take for ever.
    if (!(head.terms <= lexi.length) || names.length !== head.skills) throw bad('is damaged')
    const common = [...openLexicon(lexi, u32(need('lexb')), head.terms).entries()]
      .sort((a, b) => b.count - a.count)
      .slice(0, SHOWN)
    return {
      file,
      bytes: bytes.length,
      version: VERSION,
      head,
      current: openSegment(bytes) !== undefined,
      sections: [...sections].map(([tag, { length }]) => ({ tag, bytes: length, holds: SECTIONS[tag] ?? 'unknown' })),
      common: common.map(({ term, count }) => ({ term, skills: count })),
      names: Array.from({ length: Math.min(SHOWN, names.length) }, (_, at) =>
        stripHidden(names.get(at)).split('\n').filter(Boolean).join(', '),
      ),
    }
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError || error instanceof TypeError)
      throw bad('is damaged')
    throw error
  }
}
