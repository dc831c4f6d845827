import {
  bytesOf,
  readJsonSection,
  readSections,
  u32,
  writeJsonSection,
  writeSections,
} from '../../core/byte-sections.js'
import { shortDigest } from '../../core/digest.js'
import { blockCount } from '../../core/front-coding.js'
import { isCount, isRecord } from '../../core/plain-data.js'
import { ANALYZER } from '../../core/text/analyze.js'
import {
  createLexiconWriter,
  type Lexicon,
  openLexicon,
  sortTerms,
} from '../../search/index/lexicon.js'

/** In how many skills of a library each term occurs. */
export interface Counts {
  skills: number
  /** Terms in fewer skills are not listed. 1: every term is. */
  minSkills: number
  lexicon: Lexicon
}

/** Terms that a file lists before rare ones are left out: about 2 MB. */
const MAX_EXACT = 200_000
/** Terms in fewer skills are left out of a larger file. The fetched rows tell them. */
const MIN_SKILLS = 8

/**
 * Writes the number of skills of each term: a container of sections (see core/byte-sections.ts) with `chea`, JSON, and `lexi` and `lexb`, a
 * lexicon without postings.
 * @param options `minSkills`: terms in fewer skills are left out. Default: 1, or 8 for more than 200,000 terms.
 */
export function writeCounts(
  counts: ReadonlyMap<string, number>,
  skills: number,
  { minSkills = counts.size > MAX_EXACT ? MIN_SKILLS : 1 }: { minSkills?: number | undefined } = {},
): Uint8Array<ArrayBuffer> {
  const writer = createLexiconWriter()
  const terms = sortTerms(
    [...counts].flatMap(([term, count]) => (count >= minSkills ? [term] : [])),
  )
  for (const term of terms) writer.add(term, 0, counts.get(term) as number)
  const { lexi, lexb } = writer.finish()
  return writeSections({
    chea: writeJsonSection({ analyzer: ANALYZER, skills, terms: terms.length, minSkills }),
    lexi,
    lexb: bytesOf(lexb),
  })
}

/** Opens the counts of a library; `undefined` if the bytes are damaged or of another analyzer. */
export function openCounts(bytes: Uint8Array): Counts | undefined {
  const sections = readSections(bytes.byteOffset % 8 === 0 ? bytes : new Uint8Array(bytes))
  const header = readJsonSection(sections?.get('chea'))
  const lexi = sections?.get('lexi')
  const lexb = sections?.get('lexb')
  if (!isRecord(header) || header['analyzer'] !== ANALYZER || !lexi || !lexb) return undefined
  const { skills, terms, minSkills } = header
  if (!isCount(skills) || !isCount(terms) || !isCount(minSkills)) return undefined
  const blocks = u32(lexb)
  if (blocks.length !== blockCount(terms) * 2) return undefined
  return { skills, minSkills, lexicon: openLexicon(lexi, blocks, terms, skills) }
}

export function countsFile(digest: string): string {
  return `counts/${shortDigest(digest)}.bin`
}
