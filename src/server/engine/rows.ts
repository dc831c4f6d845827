import { digestOf } from '../../core/digest.js'
import { basename } from '../../core/paths.js'
import { foldText } from '../../core/text/fold.js'
import { skillId } from '../../library/catalog/snapshot.js'
import type { CatalogEntry } from '../../library/catalog/types.js'
import type { Segment } from '../../search/index/open.js'
import { eachPosting } from '../../search/index/postings.js'
import type { SkillDetails, SkillId, SkillSummary } from '../../skill/types.js'
import { encodeRanking } from './ranking-bytes.js'
import { termHash } from './term-hash.js'
import type { EngineRow } from './types.js'

/** The words of one skill, by hash in ascending order. */
export type RowWords = EngineRow['words']

/** The words of each skill of a segment, by number. */
export function wordsOf(segment: Segment): RowWords[] {
  // Counted first: a list of pairs would take ten times the memory.
  const counts = new Uint32Array(segment.length)
  for (const entry of segment.lexicon.entries()) eachPosting(segment, entry, skill => (counts[skill] as number)++)
  const words = Array.from(counts, count => ({ hashes: new Uint32Array(count), weights: new Uint8Array(count) }))
  const used = new Uint32Array(segment.length)
  for (const entry of segment.lexicon.entries()) {
    const hash = termHash(entry.term)
    eachPosting(segment, entry, (skill, weight) => {
      const { hashes, weights } = words[skill] as RowWords
      const next = (used[skill] as number)++
      hashes[next] = hash
      weights[next] = weight
    })
  }
  return words.map(sortWords)
}

/** Sorts words by hash. Two terms of a skill may have one hash: the weight of the heavier one counts. */
function sortWords({ hashes, weights }: RowWords): RowWords {
  const order = Array.from(hashes, (_, index) => index).sort(
    (a, b) => (hashes[a] as number) - (hashes[b] as number) || (weights[b] as number) - (weights[a] as number),
  )
  const unique = order.filter((index, at) => at === 0 || hashes[index] !== hashes[order[at - 1] as number])
  return {
    hashes: Uint32Array.from(unique, index => hashes[index] as number),
    weights: Uint8Array.from(unique, index => weights[index] as number),
  }
}

/**
 * Names a row: a UUID (version 8) of library, id and content.
 * @param index Names the analyzer, the formula and the model, so that a new one makes new rows.
 */
export function rowId(library: string, id: SkillId, { digest, details }: CatalogEntry, index: string): string {
  const hex = digestOf(JSON.stringify([library, id, digest, details, index])).slice('sha256:'.length)
  const variant = ((Number.parseInt(hex[16] as string, 16) & 3) | 8).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** Makes the row of a packed skill. */
export function createRow({
  row,
  origin,
  entry,
  details,
  segment,
  skill,
  words,
}: {
  row: string
  origin: string
  entry: CatalogEntry
  details: SkillDetails
  segment: Segment
  /** Its number in the segment. */
  skill: number
  words: RowWords
}): EngineRow {
  const summary = summaryOf(origin, entry)
  const { dimensions = 0, bytes, scales } = segment.vectors ?? {}
  const scale = scales?.[skill] ?? 0
  const vector = bytes?.slice(skill * dimensions, (skill + 1) * dimensions) ?? new Int8Array(0)
  return {
    row,
    summary,
    details,
    keys: lookupKeys(summary),
    words,
    vector: scale === 0 ? undefined : Float32Array.from(vector, value => value * scale),
    ranking: encodeRanking({
      sequence: segment.sequenceOf(skill),
      head: segment.headOf(skill),
      ...words,
      vector,
      scale,
      messages: segment.messagesOf(skill),
    }),
  }
}

/** The folded names that find a skill, as `library.get` compares them. */
function lookupKeys({ name, displayName, path }: SkillSummary): string[] {
  const names = [name, displayName ?? '', path === '' ? '' : basename(path)]
  return [...new Set(names.map(foldText).filter(Boolean))]
}

function summaryOf(origin: string, entry: CatalogEntry): SkillSummary {
  const { path, name, displayName, description, tags, digest, tokens, inferred } = entry
  return {
    id: skillId(origin, path),
    name,
    ...(displayName === undefined ? {} : { displayName }),
    description,
    tags,
    origin,
    path,
    digest,
    tokens,
    ...(inferred ? { inferred } : {}),
    ...(entry.disableModelInvocation ? { disableModelInvocation: true } : {}),
    ...(entry.userInvocable === false ? { userInvocable: false } : {}),
  }
}
