import { SkillshelfError } from '../core/errors.js'
import type { FieldName, KeptBecause, Language, MatchSignals, RerankNote, SkillMatch, TermSignal } from './types.js'

/** Terms named in a reason, at most, and the share of the relevance that each must have. */
const SHOWN = 6
const SHOWN_SHARE = 0.04
/** A cosine that is worth a word beside others, and by itself. */
const CLOSE = 0.35
const MIN_CLOSE = 0.1

/** How a reason is said in one language. */
interface Wording {
  name(name: string): string
  tags(tags: readonly string[]): string
  /** `fields` is empty for the instructions. `first`: nothing was said of words before. */
  words(words: readonly string[], fields: readonly FieldName[], first: boolean): string
  history: string
  meaning: string
  nothing: string
  shadowed: string
  chosen(among: number): string
  kept(why: KeptBecause): string
  separator: string
}

const quoted = (texts: readonly string[], comma: string): string => texts.map(text => `“${text}”`).join(comma)

const KEPT_EN: Readonly<Record<KeptBecause, string>> = {
  'no-number': 'the model gave no number',
  'out-of-range': 'the model gave a number out of range',
  'several-numbers': 'the model gave more than one number',
  'none-chosen': 'the model chose none of them',
  late: 'the model was late',
  failed: 'the model failed',
}

const english: Wording = {
  name: name => `its name, “${name}”, is in the message`,
  tags: tags =>
    `its ${tags.length === 1 ? 'tag' : 'tags'} ${quoted(tags, ', ')} ${tags.length === 1 ? 'is' : 'are'} in the message`,
  words: (words, fields, first) =>
    `${first ? 'matches ' : ''}${quoted(words, ', ')} in its ${fields.join(' and ') || 'instructions'}`,
  history: 'matches what was said before',
  meaning: 'close in meaning',
  nothing: 'no word in common',
  shadowed: 'hidden behind a skill of the same name',
  chosen: among => `chosen by the model among ${among}`,
  kept: why => `kept in order: ${KEPT_EN[why]}`,
  separator: '; ',
}

const FIELDS_ZH: Readonly<Record<FieldName, string>> = { name: '名称', description: '描述', body: '正文' }

const KEPT_ZH: Readonly<Record<KeptBecause, string>> = {
  'no-number': '模型没有给出数字',
  'out-of-range': '模型给出的数字超出范围',
  'several-numbers': '模型给出了多个数字',
  'none-chosen': '模型一个也没有选',
  late: '模型没有及时回答',
  failed: '模型出错',
}

const chinese: Wording = {
  name: name => `消息中有它的名称“${name}”`,
  tags: tags => `消息中有它的标签${quoted(tags, '、')}`,
  words: (words, fields) => `${fields.map(field => FIELDS_ZH[field]).join('和') || '正文'}中有${quoted(words, '、')}`,
  history: '与此前的对话相符',
  meaning: '含义相近',
  nothing: '没有共同的词',
  shadowed: '被同名的技能遮住',
  chosen: among => `由模型从 ${among} 个中选出`,
  kept: why => `保持原来的顺序：${KEPT_ZH[why]}`,
  separator: '；',
}

const wordings: Readonly<Record<Language, Wording>> = { en: english, zh: chinese }

/**
 * A sentence for people: why a skill matches.
 * @param language Default `en`.
 */
export function reasonOf(
  { terms, rules, relevance, similarity = 0, rerank }: MatchSignals,
  language: Language = 'en',
): string {
  const say = wordingOf(language)
  const parts: string[] = []
  const name = rules.find(({ rule }) => rule === 'name' || rule === 'display-name')
  if (name) parts.push(say.name(name.text))
  const tags = rules.filter(({ rule }) => rule === 'tag').map(({ text }) => text)
  if (!name && tags.length > 0) parts.push(say.tags(tags.slice(0, SHOWN)))
  const named = namedTerms({ terms })
  // Where the name was said already, words that stand only in it add nothing.
  const inHead = named.filter(({ fields }) => fields.includes('description') || (!name && fields.includes('name')))
  const inBody = named.filter(({ fields }) => fields.includes('body'))
  const heads = (['name', 'description'] as const).filter(field => inHead.some(({ fields }) => fields.includes(field)))
  const texts = (some: typeof named): string[] => some.map(({ text }) => text)
  if (inHead.length > 0) parts.push(say.words(texts(inHead), name ? ['description'] : heads, true))
  if (inBody.length > 0) parts.push(say.words(texts(inBody), [], inHead.length === 0))
  if (similarity >= (parts.length > 0 ? CLOSE : MIN_CLOSE)) parts.push(say.meaning)
  const why = parts.join(say.separator) || (relevance > 0 ? say.history : say.nothing)
  return rerank ? `${why}${say.separator}${noteOf(rerank, say)}` : why
}

/** A match whose reason also says what a reranker did. */
export function withNote(match: SkillMatch, rerank: RerankNote, language: Language = 'en'): SkillMatch {
  const say = wordingOf(language)
  return {
    ...match,
    reason: `${match.reason}${say.separator}${noteOf(rerank, say)}`,
    signals: { ...match.signals, rerank },
  }
}

function noteOf(rerank: RerankNote, say: Wording): string {
  return rerank.chosen ? say.chosen(rerank.among) : say.kept(rerank.kept)
}

/** The words that a reason names, best first: those to light up (`findTerms`). */
export function namedTerms({ terms }: Pick<MatchSignals, 'terms'>): readonly TermSignal[] {
  return terms.slice(0, SHOWN).filter(({ share }, index) => index === 0 || share >= SHOWN_SHARE)
}

/** Why a skill is no match at all. */
export function noReason(why: 'nothing' | 'shadowed', language: Language = 'en'): string {
  return wordingOf(language)[why]
}

function wordingOf(language: Language): Wording {
  const say = wordings[language]
  if (!say)
    throw new SkillshelfError('invalid-input', `There are no reasons in ${String(language)}`, {
      hint: `give one of ${Object.keys(wordings).join(', ')}`,
    })
  return say
}
