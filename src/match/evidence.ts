import { GAP } from '../segment/fingerprint.js'
import { findPostings } from '../segment/postings.js'
import { FROM_BYTE } from '../segment/weights.js'
import { sequenceOf } from '../text/analyze.js'
import type { AnalyzedQuery, Candidate, Searched, Weighted } from './rank.js'
import type { Rule } from './types.js'

/** The saturated frequency of each term in some candidates: `weights[term][candidate]`, 0 where it has not the term. */
export function termWeights(
  weighted: readonly Weighted[],
  candidates: readonly Candidate[],
  searched: readonly Searched[],
): Float32Array[] {
  // The candidates of each segment, in the order of its postings.
  const wanted = new Map<number, { skills: number[]; indexes: number[] }>()
  for (const [index, { at, skill }] of [...candidates.entries()].sort(([, a], [, b]) => a.skill - b.skill)) {
    const own = wanted.get(at)
    if (own) {
      own.skills.push(skill)
      own.indexes.push(index)
    } else wanted.set(at, { skills: [skill], indexes: [index] })
  }
  return weighted.map(({ entries }) => {
    const found = new Float32Array(candidates.length)
    for (const [at, { skills, indexes }] of wanted) {
      const entry = entries[at]
      if (!entry) continue
      findPostings((searched[at] as Searched).segment, entry, skills, (index, byte) => {
        found[indexes[index] as number] = byte * FROM_BYTE
      })
    }
    return found
  })
}

/** A name, display name or tag that the message has whole. */
export interface RuleHit {
  rule: Exclude<Rule, 'pair'>
  text: string
}

/** Which of a skill's names and tags stand whole in the message. Fingerprints first; texts are decoded only where those agree. */
export function ruleHits(
  query: AnalyzedQuery,
  candidate: Pick<Candidate, 'at' | 'skill'>,
  searched: readonly Searched[],
): RuleHit[] {
  const { segment } = searched[candidate.at] as Searched
  const head = segment.sequenceOf(candidate.skill).subarray(0, segment.headOf(candidate.skill))
  if (!anyPhrase(head, query.codes)) return []
  const message = ` ${query.sequence.join(' ')} `
  const [name = '', displayName = '', ...tags] = segment.names.get(candidate.skill).split('\n')
  const hits: RuleHit[] = []
  const test = (rule: RuleHit['rule'], text: string): void => {
    const phrase = sequenceOf(text).join(' ')
    if (phrase.length > 1 && message.includes(` ${phrase} `)) hits.push({ rule, text })
  }
  test('name', name)
  if (displayName !== '') test('display-name', displayName)
  for (const tag of tags) test('tag', tag)
  return hits
}

/** True where one of the texts between gaps stands whole in the message. */
function anyPhrase(head: Uint16Array, message: Uint16Array): boolean {
  let start = 0
  for (let at = 0; at <= head.length; at++) {
    if (at < head.length && head[at] !== GAP) continue
    if (at > start && contains(message, head, start, at)) return true
    start = at + 1
  }
  return false
}

function contains(message: Uint16Array, phrase: Uint16Array, start: number, end: number): boolean {
  const length = end - start
  for (let from = 0; from + length <= message.length; from++) {
    let same = 0
    while (same < length && message[from + same] === phrase[start + same]) same++
    if (same === length) return true
  }
  return false
}
