/** Training data: pairs of texts with the same or a related meaning. */
import { sequenceOf } from '../../src/core/text/analyze.js'
import { removeNegatedClauses } from '../../src/core/text/description-negation.js'
import { addMessages, addTranslatedLines } from './languages.js'
import type { Document, Kind, Pair } from './pair.js'
import { type NamedSkill, nameOf, type Reserved, readReserved } from './reserved.js'
import {
  type PhraseRow,
  type RawSkill,
  readData,
  readRegistry,
  type SkillRow,
  type TranslationRow,
  type WordRow,
} from './sources.js'
import { readTranslatedSkills, type TranslatedSkill } from './translated.js'

/** Maximum paragraphs per skill, and minimum words of each. */
const PARAGRAPHS = 8
const PARAGRAPH_WORDS = 8
const BODY = 20_000
/** Maximum translated lines per skill paired with its description, and minimum characters of each. */
const LINES = 8
const LINE_CHARACTERS = 8
/** A heading of more skills than this is generic, such as "Usage". */
const HEADING_SKILLS = 3

export interface TrainingData {
  pairs: Pair[]
  documents: Document[]
  /** The skills that may be trained on. */
  skills: readonly Skill[]
  /** The files of the registry among them. Files of one owner and name are one skill. */
  registry: readonly RawSkill[]
  /** How much was left out, by cause. */
  left: Record<string, number>
}

export async function readPairs(): Promise<TrainingData> {
  const rows = readData<SkillRow>('skills-meta')
  const all = await readRegistry()
  const reserved = readReserved(rows, all)
  const left = { reserved: 0, 'reserved paragraphs and lines': 0 }
  const isOut = (skill: NamedSkill): boolean => {
    const out = reserved.hasSkill(skill)
    if (out) left.reserved++
    return out
  }
  const known = rows.filter(
    ({ license, inEval, origin, name, description }) =>
      license === 'permissive' && !inEval && !isOut({ origin, names: [name], description }),
  )
  const registry = all.filter(raw => !isOut(nameOf(raw)))
  const pairs: Pair[] = []
  const documents: Document[] = []
  const skills = joinSkills(known, registry)
  addSkills(skills, reserved, pairs, documents, left)
  addTranslations(readTranslatedSkills(all), skills, reserved, pairs, documents, left)
  addWords(pairs, documents)
  addTranslatedLines(reserved, pairs, documents)
  addMessages(messageSkills(known, registry), reserved, pairs, documents)
  return { pairs: withoutRepeats(pairs), documents, skills, registry, left }
}

/** The skills that messages were written for, by the lower-case id of their folder or name. */
function messageSkills(
  rows: readonly SkillRow[],
  registry: readonly RawSkill[],
): Map<string, NamedSkill & { head: string }> {
  const skills = new Map<string, NamedSkill & { head: string }>()
  for (const raw of registry) {
    skills.set(`clawhub:${raw.owner}/${raw.folder}`.toLowerCase(), {
      ...nameOf(raw),
      head: headOf(raw),
    })
  }
  for (const { origin, name, description } of rows) {
    skills.set(`${origin}/${name}`.toLowerCase(), {
      origin,
      names: [name],
      description,
      head: headOf({ name, description }),
    })
  }
  return skills
}

/** The known texts of one skill, by language. */
export interface Skill {
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
  for (const { id, origin, name, description, headings } of rows) {
    skillOf(origin, name).texts.push({ id, name, description, headings })
  }
  for (const raw of registry) {
    const origin = `clawhub:${raw.owner}`
    const skill = skills.get(`${origin}\t${raw.folder.toLowerCase()}`) ?? skillOf(origin, raw.name)
    skill.raw ??= raw
    if (!skill.texts.some(({ description }) => description.trim() === raw.description.trim())) {
      skill.texts.push({ id: -1, name: raw.name, description: raw.description, headings: [] })
    }
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
  for (const { phrase, skill_id, license } of readData<PhraseRow>('phrases')) {
    if (license === 'permissive') phrases.set(skill_id, [...(phrases.get(skill_id) ?? []), phrase])
  }
  const headingCounts = new Map<string, number>()
  for (const { texts } of skills) {
    for (const heading of new Set(texts.flatMap(({ headings }) => headings.map(plain)))) {
      headingCounts.set(heading, (headingCounts.get(heading) ?? 0) + 1)
    }
  }

  for (const { key, texts, raw } of skills) {
    const add = (kind: Kind, a: string, b: string): void => {
      pairs.push({ kind, a, b, group: key })
    }
    const english = texts.find(({ description }) => !isChinese(description))
    for (const { id, name, description, headings } of texts) {
      const meant = removeNegatedClauses(description)
      const head = `${name}\n${meant}`
      const chinese = isChinese(description)
      const translated = chinese && english ? headOf(english) : undefined
      if (translated) add('cross', meant, translated)
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
    const head = headOf(own)
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
  translated: readonly TranslatedSkill[],
  skills: readonly Skill[],
  reserved: Reserved,
  pairs: Pair[],
  documents: Document[],
  left: { 'reserved paragraphs and lines': number },
): void {
  const add = ({ zh, en }: TranslationRow): boolean => {
    if (reserved.hasText(en) || reserved.hasText(zh)) {
      left['reserved paragraphs and lines']++
      return false
    }
    pairs.push({ kind: 'translation', a: zh, b: en, group: '' })
    documents.push({ kind: 'other', text: `${zh}\n${en}` })
    return true
  }
  const skillOf = new Map(skills.map(skill => [skill.raw, skill]))
  for (const { lines, raw } of translated) {
    if (raw && reserved.hasSkill(nameOf(raw))) {
      left['reserved paragraphs and lines'] += lines.length
      continue
    }
    const skill = raw && skillOf.get(raw)
    const english = skill?.texts.find(({ description }) => !isChinese(description))
    const chinese = skill?.texts.find(({ description }) => isChinese(description))
    let taken = 0
    for (const line of lines) {
      if (!add(line) || !skill || line.kind === 'heading' || taken === LINES) continue
      if (line.kind === 'line' && sequenceOf(line.zh).length < LINE_CHARACTERS) continue
      if (english) pairs.push({ kind: 'cross', a: line.zh, b: headOf(english), group: skill.key })
      if (chinese && line.kind === 'line') {
        pairs.push({ kind: 'line', a: line.zh, b: headOf(chinese), group: skill.key })
      }
      taken++
    }
  }
  for (const line of readData<TranslationRow>('tldr-zh-en')) add(line)
}

function addWords(pairs: Pair[], documents: Document[]): void {
  const glosses = new Map<string, string>()
  for (const { lemma, synonyms, gloss } of readData<WordRow>('wordnet')) {
    // One lemma per meaning; the others are its synonyms.
    if (glosses.has(gloss)) continue
    glosses.set(gloss, lemma)
    pairs.push({ kind: 'gloss', a: lemma, b: gloss, group: lemma })
    for (const synonym of synonyms.slice(0, 2)) {
      pairs.push({ kind: 'synonym', a: lemma, b: synonym, group: lemma })
    }
    documents.push({ kind: 'other', text: `${lemma}\n${synonyms.join(' ')}\n${gloss}` })
  }
}

function headOf({ name, description }: { name: string; description: string }): string {
  return `${name}\n${removeNegatedClauses(description)}`
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
    .filter(
      paragraph =>
        !/^(?:#|\||<|!\[|---)/.test(paragraph) && sequenceOf(paragraph).length >= PARAGRAPH_WORDS,
    )
}

function plain(text: string): string {
  return sequenceOf(text).join(' ')
}

function isChinese(text: string): boolean {
  return /\p{Script=Han}/u.test(text)
}
