import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { plainLine, showHidden } from '../../core/sanitize.js'
import { readSections, u32, SECTIONS_VERSION as VERSION } from '../../core/sections.js'
import { readColumn } from '../../search/index/column.js'
import { openLexicon } from '../../search/index/lexicon.js'
import { openSegment } from '../../search/index/open.js'
import type { SegmentHead } from '../../search/index/write.js'
import { commandError, EXIT } from './errors.js'
import { type Io, printJson, printLines } from './io.js'

import { colorsFor, table } from './table.js'
import { formatBytes } from './text.js'

const MAX_ROWS = 20

const SECTIONS: Readonly<Record<string, string>> = {
  head: 'format, analyzer and counts',
  name: 'names, display names and tags',
  lexi: 'terms',
  lexb: 'offsets of term blocks',
  post: 'postings: the skills of each term and its weights',
  seqo: 'offsets of forward lists',
  seqs: 'forward lists: the words of each skill in order',
  mess: 'messages of users',
  vhea: 'model and dimensions of the vectors',
  vecs: 'vectors: one byte per dimension',
  vsca: 'scale of each vector',
  seqb: 'number of words in the name, tags and description of each skill',
}

interface SegmentReport {
  file: string
  bytes: number
  version: number
  head: SegmentHead
  /** Whether this version of skillshelf can search it without rebuilding it. */
  current: boolean
  sections: { tag: string; bytes: number; holds: string }[]
  common: { term: string; skills: number }[]
  names: string[]
}

/** Shows the header, sections and most common terms of a segment file. */
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
    colors.bold(plainLine(segment.file)),
    `format version ${segment.version}, analyzer ${plainLine(head.analyzer)}, scoring ${plainLine(head.scoring)}`,
    `${number(head.skills)} skills, ${number(head.terms)} terms, ${number(head.postings)} postings, ${formatBytes(segment.bytes)}`,
    ...(segment.current
      ? []
      : [
          'This version of skillshelf uses another analyzer or scoring. It rebuilds the segment when it opens the library.',
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
    ...segment.names.map(plainLine),
    ...(more > 0 ? [`and ${number(more)} more`] : []),
  )
  return EXIT.ok
}

function readSegment(bytes: Uint8Array, file: string): SegmentReport {
  const invalid = (problem: string): Error => commandError(`${file} ${problem}`, 'pack the skills again', 'format')
  const sections = readSections(bytes)
  if (!sections) {
    const magic = bytes.length >= 8 && String.fromCharCode(...bytes.subarray(0, 4)) === 'SHLF'
    const version = magic ? new DataView(bytes.buffer).getUint16(4, true) : undefined
    if (version === undefined) throw invalid('is not a segment of a packed library')
    if (version !== VERSION) throw invalid(`has format version ${version}; this skillshelf reads version ${VERSION}`)
    throw invalid('is truncated')
  }
  try {
    const head = JSON.parse(new TextDecoder().decode(sections.get('head'))) as SegmentHead
    const need = (tag: string): Uint8Array => {
      const section = sections.get(tag)
      if (!section) throw invalid(`has no section ${tag}`)
      return section
    }
    const lexi = need('lexi')
    const names = readColumn(need('name'))
    // A term takes at least three bytes. A larger count is damage, and looping up to it would hang.
    if (!(head.terms <= lexi.length) || names?.length !== head.skills) throw invalid('is damaged')
    const common = [...openLexicon(lexi, u32(need('lexb')), head.terms, head.skills).entries()]
      .sort((a, b) => b.count - a.count)
      .slice(0, MAX_ROWS)
    return {
      file,
      bytes: bytes.length,
      version: VERSION,
      head,
      current: openSegment(bytes) !== undefined,
      sections: [...sections].map(([tag, { length }]) => ({ tag, bytes: length, holds: SECTIONS[tag] ?? 'unknown' })),
      common: common.map(({ term, count }) => ({ term, skills: count })),
      names: Array.from({ length: Math.min(MAX_ROWS, names.length) }, (_, index) =>
        showHidden(names.get(index)).split('\n').filter(Boolean).join(', '),
      ),
    }
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError || error instanceof TypeError)
      throw invalid('is damaged')
    throw error
  }
}
