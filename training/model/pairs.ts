/** Pairs of texts that mean the same or belong together: what the model learns from. */
import { sequenceOf } from '../../src/text/analyze.js'
import { withoutNegated } from '../../src/text/negated.js'
import { type Reserved, readReserved } from './reserved.js'
import {
  type PhraseRow,
  type RawSkill,
  readData,
  readRegistry,
  type SkillRow,
  type TranslationRow,
  type WordRow,
} from './sources.js'

export const KINDS = [
  'name', // name -> description
  'split', // first part of the description -> the rest
  'heading', // heading -> name and description
  'paragraph', // paragraph of the body -> name and description
  'phrase', // mined phrase -> name and description
  'translation', // Chinese -> English line
  'cross', // Chinese heading or phrase -> name and English description of the same skill
  'gloss', // lemma -> gloss
  'synonym', // lemma -> synonym
] as const
export type Kind = (typeof KINDS)[number]

export interface Pair {
  kind: Kind
  a: string
  b: string
  /** Pairs of one group are no counter-examples to each other. */
  group: string
}

/** A text for vocabulary and document counts. */
export interface Document {
  text: string
  /** `skill`: what background rarity is counted over; `other` only helps to choose the vocabulary. */
  kind: 'skill' | 'other'
}

/** Paragraphs of a skill that become pairs, and their words at least. */
const PARAGRAPHS = 8
const PARAGRAPH_WORDS = 8
const BODY = 20_000
/** A heading that more skills have says nothing about one ("Usage"). */
const HEADING_SKILLS = 3

export async function readPairs(): Promise<{ pairs: Pair[]; documents: Document[]; left: Record<string, number> }> {
  const rows = readData<SkillRow>('skills-meta')
  const reserved = readReserved(rows)
  const evaluated = new Set(rows.filter(row => row.inEval).map(row => `${row.origin}\t${row.name}`))
  const left = { reserved: 0, 'reserved paragraphs and lines': 0 }
  const isOut = (origin: string, name: string, description: string): boolean => {
    const out =
      reserved.hasOrigin(origin) || evaluated.has(`${origin}\t${name}`) || reserved.hasSkill(name, description)
    if (out) left.reserved++
    return out
  }
  const known = rows.filter(
    row => row.license === 'permissive' && !row.inEval && !isOut(row.origin, row.name, row.description),
  )
  const registry = (await readRegistry()).filter(
    raw =>
      !evaluated.has(`clawhub:${raw.owner}\t${raw.folder}`) &&
      !isOut(`clawhub:${raw.owner}`, raw.name, raw.description),
  )
  const pairs: Pair[] = []
  const documents: Document[] = []
  const skills = joinSkills(known, registry)
  addSkills(skills, reserved, pairs, documents, left)
  addTranslations(reserved, pairs, documents, left)
  addWords(pairs, documents)
  return { pairs: withoutRepeats(pairs), documents, left }
}

/** One skill, as far as it is known, in each language. */
interface Skill {
  key: string
  texts: { id: number; name: string; description: string; headings: readonly string[] }[]
  raw: RawSkill | undefined
}

/** Rows of the same registry entry are one skill: an original and its translation. */
function joinSkills(rows: readonly SkillRow[], registry: readonly RawSkill[]): Skill[] {
  const skills = new Map<string, Skill>()
  const skillOf = (owner: string, name: string): Skill => {
    const key = `${owner}\t${name.toLowerCase()}`
    let skill = skills.get(key)
    if (!skill) {
      skill = { key, texts: [], raw: undefined }
      skills.set(key, skill)
    }
    return skill
  }
  for (const { id, origin, name, description, headings } of rows)
    skillOf(origin, name).texts.push({ id, name, description, headings })
  for (const raw of registry) {
    const origin = `clawhub:${raw.owner}`
    const skill = skills.get(`${origin}\t${raw.folder.toLowerCase()}`) ?? skillOf(origin, raw.name)
    skill.raw ??= raw
    if (!skill.texts.some(({ description }) => description.trim() === raw.description.trim()))
      skill.texts.push({ id: -1, name: raw.name, description: raw.description, headings: [] })
  }
  return [...skills.values()]
}

function addSkills(
  skills: readonly Skill[],
  reserved: Reserved,
  pairs: Pair[],
  documents: Document[],
  left: { 'reserved paragraphs and lines': number },
): void {
  const phrases = new Map<number, string[]>()
  for (const { phrase, skill_id, license } of readData<PhraseRow>('phrases'))
    if (license === 'permissive') phrases.set(skill_id, [...(phrases.get(skill_id) ?? []), phrase])
  const headingCounts = new Map<string, number>()
  for (const { texts } of skills)
    for (const heading of new Set(texts.flatMap(({ headings }) => headings.map(plain))))
      headingCounts.set(heading, (headingCounts.get(heading) ?? 0) + 1)

  for (const { key, texts, raw } of skills) {
    const add = (kind: Kind, a: string, b: string): void => {
      pairs.push({ kind, a, b, group: key })
    }
    const english = texts.find(({ description }) => !isChinese(description))
    for (const { id, name, description, headings } of texts) {
      const meant = withoutNegated(description)
      const head = `${name}\n${meant}`
      const chinese = isChinese(description)
      const translated = chinese && english ? `${english.name}\n${withoutNegated(english.description)}` : undefined
      add('name', name, meant)
      const parts = inTwo(meant)
      if (parts) add('split', ...parts)
      for (const heading of headings) {
        if ((headingCounts.get(plain(heading)) ?? 0) > HEADING_SKILLS) continue
        add('heading', heading, head)
        if (translated && isChinese(heading)) add('cross', heading, translated)
      }
      for (const phrase of phrases.get(id) ?? []) {
        if (reserved.hasText(phrase)) continue
        add('phrase', phrase, head)
        if (translated && isChinese(phrase)) add('cross', phrase, translated)
      }
      documents.push({
        kind: 'skill',
        text: [head, ...headings, !chinese && raw ? raw.body.slice(0, BODY) : ''].join('\n'),
      })
    }
    const own = english ?? texts[0]
    if (!raw || !own) continue
    const head = `${own.name}\n${withoutNegated(own.description)}`
    let taken = 0
    for (const paragraph of paragraphsOf(raw.body.slice(0, BODY))) {
      if (reserved.hasText(paragraph)) {
        left['reserved paragraphs and lines']++
        continue
      }
      add('paragraph', paragraph, head)
      if (++taken === PARAGRAPHS) break
    }
  }
}

function addTranslations(
  reserved: Reserved,
  pairs: Pair[],
  documents: Document[],
  left: { 'reserved paragraphs and lines': number },
): void {
  for (const { zh, en } of [...readData<TranslationRow>('zh-en'), ...readData<TranslationRow>('tldr-zh-en')]) {
    if (reserved.hasText(en) || reserved.hasText(zh)) {
      left['reserved paragraphs and lines']++
      continue
    }
    pairs.push({ kind: 'translation', a: zh, b: en, group: '' })
    documents.push({ kind: 'other', text: `${zh}\n${en}` })
  }
}

function addWords(pairs: Pair[], documents: Document[]): void {
  const glosses = new Map<string, string>()
  for (const { lemma, synonyms, gloss } of readData<WordRow>('wordnet')) {
    // One lemma a meaning: the others are its synonyms.
    if (glosses.has(gloss)) continue
    glosses.set(gloss, lemma)
    pairs.push({ kind: 'gloss', a: lemma, b: gloss, group: lemma })
    for (const synonym of synonyms.slice(0, 2)) pairs.push({ kind: 'synonym', a: lemma, b: synonym, group: lemma })
    documents.push({ kind: 'other', text: `${lemma}\n${synonyms.join(' ')}\n${gloss}` })
  }
}

function withoutRepeats(pairs: readonly Pair[]): Pair[] {
  const seen = new Set<string>()
  return pairs.filter(({ a, b }) => {
    const one = plain(a)
    const two = plain(b)
    const key = `${one}\n${two}`
    if (one === '' || two === '' || one === two || seen.has(key)) return false
    seen.add(key)
    return true
  })
}

/** A description at the end of its first sentence, if that leaves words on both sides. */
function inTwo(text: string): [string, string] | undefined {
  const end = text.slice(0, -20).search(/[.!?;:]\s|[。！？；：\n]/)
  if (end < 12) return undefined
  return [text.slice(0, end + 1), text.slice(end + 1)]
}

function paragraphsOf(body: string): string[] {
  return body
    .replace(/```[\s\S]*?(?:```|$)/g, '\n\n')
    .split(/\n\s*\n/)
    .map(paragraph => paragraph.trim())
    .filter(paragraph => !/^(?:#|\||<|!\[|---)/.test(paragraph) && sequenceOf(paragraph).length >= PARAGRAPH_WORDS)
}

function plain(text: string): string {
  return sequenceOf(text).join(' ')
}

function isChinese(text: string): boolean {
  return /\p{Script=Han}/u.test(text)
}
