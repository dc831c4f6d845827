import { GAP } from '../segment/fingerprint.js'
import { eachPosting } from '../segment/open.js'
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
  return weighted.map(({ entries }) => {
    const found = new Float32Array(candidates.length)
    for (const [at, { segment }] of searched.entries()) {
      const entry = entries[at]
      const wanted = new Map<number, number>()
      for (const [index, candidate] of candidates.entries()) if (candidate.at === at) wanted.set(candidate.skill, index)
      if (!entry || wanted.size === 0) continue
      eachPosting(segment, entry, (skill, byte) => {
        const index = wanted.get(skill)
        if (index !== undefined) found[index] = byte * FROM_BYTE
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
export function ruleHits(query: AnalyzedQuery, candidate: Candidate, searched: readonly Searched[]): RuleHit[] {
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
