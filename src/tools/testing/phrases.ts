import { plainLine } from '../../core/sanitize.js'
import { removeNegatedClauses } from '../../core/text/description-negation.js'
import type { SkillSummary } from '../../skill/skill.js'

/** Phrases of one skill. */
const MAX_PHRASES = 8
/** Characters of a phrase. */
const LENGTHS = { least: 4, most: 120 }

const QUOTED =
  /(?:"([^"\n]{4,120})"|“([^“”\n]{4,120})”|「([^「」\n]{2,120})」|『([^『』\n]{2,120})』)/g
/** What introduces the uses of a skill, up to the uses. */
const LEADS = [
  /\b(?:use|useful|trigger(?:s|ed)?|activat(?:e|es|ed)|invoked?|appl(?:y|ies)|helpful|ideal|load)\b[^.!?;。]{0,40}?\b(?:when(?:ever)?|if|for|to)\b\s*/i,
  /\bwhen(?:ever)?\s+(?=(?:the\s+|a\s+)?(?:users?|you|someone|people|asked)\b)/i,
  /(?:适用于|可用于|用于|适合)/,
  /当\s*(?=[^。！？\n]{1,80}时)/,
]
/** Who wants it, before what is wanted. */
const WANTS =
  /^(?:(?:the|a|an|your)\s+)?(?:users?|you|someone|people|they|needed|asked|needs|wants|asks|requests|says|mentions)\b(?:\s+(?:explicitly|also|just|often|only|has|have|is|are|would|like|wish(?:es)?|ask(?:s|ed|ing)?|wants?|needs?|requests?|says?|mentions?|tr(?:y|ies)|you|us|for|help|with|about|to|on|things|like|how)\b)*[\s:,]*/i
const ZH_WANTS = /^(?:用户|你|需要|想要|想|希望|要求|询问|提到|请求|进行|问)+/
const SEPARATOR =
  /\s*[,;，；、:：/]\s*(?:(?:and|or)\s+|以及|或者?|和)?|\s+or\s+|(?<=\p{Script=Han})(?:或者?|以及)(?=\p{Script=Han})/u
const SENTENCE = /(?<=[.!?])\s+|[。！？\n]+/

/** Things that people would say to an agent, from what a skill says of its use: quoted ones, and the parts of "Use when ...". */
export function phrasesOf({
  description,
  whenToUse = '',
}: Pick<SkillSummary, 'description' | 'whenToUse'>): string[] {
  const phrases = new Map<string, string>()
  const add = (text: string): void => {
    const phrase = plainLine(text)
      .replace(/^[\s"'“”‘’*`(-]+|[\s"'“”‘’*`).,!?…-]+$/gu, '')
      .replace(/^(?:and|or)\s+/i, '')
    const isLong = phrase.length >= LENGTHS.least && phrase.length <= LENGTHS.most
    const hasWords =
      /\S\s+\S/.test(phrase) ||
      /\p{Script=Han}{4}|[\p{Script=Hiragana}\p{Script=Katakana}]{4}/u.test(phrase)
    if (isLong && hasWords) phrases.set(phrase.toLowerCase(), phrase)
  }
  const text = removeNegatedClauses(description)
  for (const match of text.matchAll(QUOTED))
    add(match.slice(1).find(one => one !== undefined) ?? '')
  for (const sentence of text.split(SENTENCE)) {
    for (const use of usesIn(sentence) ?? []) add(use)
  }
  for (const sentence of removeNegatedClauses(whenToUse).split(SENTENCE)) {
    for (const use of usesIn(sentence) ?? divide(sentence)) add(use)
  }
  return [...phrases.values()].slice(0, MAX_PHRASES)
}

/** The uses that a sentence lists after its lead. `undefined` without one. */
function usesIn(sentence: string): string[] | undefined {
  for (const lead of LEADS) {
    const found = lead.exec(sentence)
    if (found) return divide(sentence.slice(found.index + found[0].length))
  }
  return undefined
}

function divide(uses: string): string[] {
  return uses
    .replace(QUOTED, ',')
    .replace(/时(?:使用|触发)?$/, '')
    .split(SEPARATOR)
    .map(use => use.trim().replace(WANTS, '').replace(ZH_WANTS, ''))
}
