import { invalidInput } from '../../core/errors.js'
import type {
  FieldName,
  KeptBecause,
  Language,
  MatchSignals,
  RankedMatch,
  RerankNote,
  TermSignal,
} from './skill-match.js'

/** Maximum terms in a reason, and the minimum share of the relevance of each. */
const MAX_TERMS = 6
const MIN_SHARE = 0.04
/** Minimum similarity that a reason mentions, after other parts and as the only part. */
const CLOSE = 0.35
const CLOSE_ALONE = 0.1

const quoted = (texts: readonly string[], comma: string): string =>
  texts.map(text => `“${text}”`).join(comma)

const FIELDS: Readonly<Record<Language, Readonly<Record<FieldName, string>>>> = {
  en: { name: 'name', description: 'description', message: 'messages', body: 'instructions' },
  zh: { name: '名称', description: '描述', message: '示例消息', body: '正文' },
}

const english = {
  name: (name: string) => `its name, “${name}”, is in the message`,
  /** Another form of a word of the message. */
  form: (term: string, text: string) => `${term} (for ${text})`,
  tags: (tags: readonly string[]) =>
    `its ${tags.length === 1 ? 'tag' : 'tags'} ${quoted(tags, ', ')} ${tags.length === 1 ? 'is' : 'are'} in the message`,
  /** `first` is true for the first part about words. */
  words: (words: readonly string[], fields: readonly FieldName[], first: boolean) =>
    `${first ? 'matches ' : ''}${quoted(words, ', ')} in its ${fields.map(field => FIELDS.en[field]).join(' and ')}`,
  /** `text` is `undefined` if the message is private. */
  learned: (text: string | undefined) =>
    `chosen before for ${text === undefined ? 'a similar message' : `the message “${text}”`}`,
  message: (text: string) => `like the message “${text}”`,
  ruledOut: (text: string) => `but its author rules out “${text}”`,
  history: 'matches what was said before or pasted',
  meaning: 'close in meaning',
  nothing: 'no word in common',
  shadowed: 'hidden behind a skill of the same name',
  elsewhere: 'none of its required paths is here',
  place: (path: string) => `its paths fit “${path}”`,
  chosen: (among: number) => `chosen by the model among ${among}`,
  kept: (why: string) => `order unchanged: ${why}`,
  keptBecause: {
    'no-number': 'the model gave no number',
    'out-of-range': 'the model gave a number out of range',
    'several-numbers': 'the model gave more than one number',
    'none-chosen': 'the model chose none of them',
    late: 'the model timed out',
    failed: 'the model failed',
  } satisfies Record<KeptBecause, string>,
  separator: '; ',
}

type Wording = typeof english

const chinese: Wording = {
  name: name => `消息中有它的名称“${name}”`,
  form: (term, text) => `${term}（消息中为 ${text}）`,
  tags: tags => `消息中有它的标签${quoted(tags, '、')}`,
  words: (words, fields) =>
    `${fields.map(field => FIELDS.zh[field]).join('和')}中有${quoted(words, '、')}`,
  learned: text => `此前曾为${text === undefined ? '类似的消息' : `消息“${text}”`}选用`,
  message: text => `与示例消息“${text}”相近`,
  ruledOut: text => `但作者排除了“${text}”`,
  history: '与此前的对话或粘贴的内容相符',
  meaning: '含义相近',
  nothing: '没有共同的词',
  shadowed: '被同名的技能遮住',
  elsewhere: '这里没有它所需的路径',
  place: path => `适用于“${path}”`,
  chosen: among => `由模型从 ${among} 个中选出`,
  kept: why => `保持原来的顺序：${why}`,
  keptBecause: {
    'no-number': '模型没有给出数字',
    'out-of-range': '模型给出的数字超出范围',
    'several-numbers': '模型给出了多个数字',
    'none-chosen': '模型一个也没有选',
    late: '模型没有及时回答',
    failed: '模型出错',
  },
  separator: '；',
}

const wordings: Readonly<Record<Language, Wording>> = { en: english, zh: chinese }

/**
 * Explains a match in a sentence for people.
 *
 * @param signals The `signals` of a match.
 * @param language `en` or `zh`. Default `en`.
 * @throws SkillshelfError `invalid-input` for another language
 * @example
 * const { matches } = await library.search('make slides')
 * matches.map(({ signals }) => reasonOf(signals, 'zh'))
 */
export function reasonOf(
  {
    terms,
    rules,
    relevance,
    learned,
    similarMessage,
    ruledOut,
    similarity = 0,
    place,
    rerank,
  }: MatchSignals,
  language: Language = 'en',
): string {
  const say = wordingOf(language)
  const parts: string[] = []
  if (learned) parts.push(say.learned(learned.message))
  const name = rules.find(({ rule }) => rule === 'name' || rule === 'display-name')
  if (name) parts.push(say.name(name.text))
  const tags = rules.filter(({ rule }) => rule === 'tag').map(({ text }) => text)
  if (!name && tags.length > 0) parts.push(say.tags(tags.slice(0, MAX_TERMS)))
  if (similarMessage !== undefined) parts.push(say.message(similarMessage))
  const all = namedTerms({ terms })
  // A single character of Chinese or Japanese is seldom the word that was meant, except in a name.
  const telling = all.filter(
    ({ term, fields }) => fields.includes('name') || !/^[\u3040-\u9fff]$/.test(term),
  )
  const shown = telling[0] || similarity >= CLOSE_ALONE ? telling : all
  let isFirst = true
  const addWords = (...some: FieldName[]): void => {
    const found = shown.filter(({ fields }) => fields.some(field => some.includes(field)))
    if (found.length === 0) return
    const words = found.map(({ term, text, form }) => (form ? say.form(term, text) : text))
    const named = some.filter(field => found.some(({ fields }) => fields.includes(field)))
    parts.push(say.words(words, named, isFirst))
    isFirst = false
  }
  // A reason that already names the skill does not repeat the words of its name.
  if (name) addWords('description')
  else addWords('name', 'description')
  addWords('body')
  // A quoted message shows its words.
  if (similarMessage === undefined) addWords('message')
  if (similarity >= (parts.length > 0 ? CLOSE : CLOSE_ALONE)) parts.push(say.meaning)
  if (ruledOut !== undefined) parts.push(say.ruledOut(ruledOut))
  if (place !== undefined) parts.push(say.place(place))
  const why = parts.join(say.separator) || (relevance > 0 ? say.history : say.nothing)
  return rerank ? `${why}${say.separator}${noteOf(rerank, say)}` : why
}

/** The reason without the learned message, for prompts and tool results: learned messages stay on the device. */
export function reasonForModel({ reason, signals }: RankedMatch): string {
  const { learned, ...others } = signals
  if (!learned) return reason
  const own = reasonOf(others)
  const say = english.learned(undefined)
  return own === english.nothing ? say : `${say}${english.separator}${own}`
}

export function isKeptBecause(value: unknown): value is KeptBecause {
  return typeof value === 'string' && Object.hasOwn(english.keptBecause, value)
}

/** Adds what a reranker did to the reason of a match. */
export function withRerankNote(
  match: RankedMatch,
  rerank: RerankNote,
  language: Language = 'en',
): RankedMatch {
  const say = wordingOf(language)
  return {
    ...match,
    reason: `${match.reason}${say.separator}${noteOf(rerank, say)}`,
    signals: { ...match.signals, rerank },
  }
}

function noteOf(rerank: RerankNote, say: Wording): string {
  return rerank.chosen ? say.chosen(rerank.among) : say.kept(say.keptBecause[rerank.kept])
}

/**
 * Returns the terms that a reason names, by share of the relevance.
 *
 * @param signals The `signals` of a match.
 * @returns Six terms at most. Highlight them in a text with `findTerms`.
 * @example
 * const [match] = (await library.search('make slides')).matches
 * if (match) console.log(namedTerms(match.signals).map(({ text }) => text))
 */
export function namedTerms({ terms }: Pick<MatchSignals, 'terms'>): readonly TermSignal[] {
  return terms.slice(0, MAX_TERMS).filter(({ share }, index) => index === 0 || share >= MIN_SHARE)
}

/** The match of a skill that no word connects with the message, with the reason for it. */
export function wordlessMatch(
  { id, name }: Pick<RankedMatch, 'id' | 'name'>,
  why: 'nothing' | 'shadowed' | 'elsewhere' = 'nothing',
  language: Language = 'en',
): RankedMatch {
  const signals = { terms: [], rules: [], missing: [], relevance: 0 }
  return { id, name, score: 0, reason: wordingOf(language)[why], signals }
}

function wordingOf(language: Language): Wording {
  const say = wordings[language]
  if (!say) throw invalidInput(`Unsupported language "${String(language)}"`, 'use "en" or "zh"')
  return say
}
