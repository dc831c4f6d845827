import type { AbortOptions } from '../../core/abort.js'
import { plainLine } from '../../core/sanitize.js'
import { removeNegatedClauses } from '../../core/text/description-negation.js'
import { foldText } from '../../core/text/fold.js'
import type { SkillMatch } from '../../library/api/match-result.js'
import type { SkillLibrary } from '../../library/api/skill-library.js'
import type { TreeSkill } from '../../library/catalog/catalog-entry.js'
import { skillId } from '../../library/catalog/snapshot.js'
import { isLikely, isServed } from '../../search/decide/decide.js'
import { loadCorpusStatistics } from '../../search/match/corpus-statistics.js'
import { THRESHOLD } from '../../search/match/score.js'
import type { SkillId } from '../../skill/skill.js'
import type { SkillSource } from '../../source/source.js'
import { MIN_IDF, missingWords } from '../testing/missing-words.js'
import { type Io, plural, printLines } from './io.js'
import { readSkillTriggers } from './skill-triggers.js'
import { colorsFor, printTable, type Row } from './table.js'

/** A text of one skill that another skill takes or nearly takes. */
export interface OverlapMessage {
  /** Id of the skill whose text it is. */
  skill: SkillId
  text: string
  from: 'description' | 'message' | 'triggers.yaml'
  /** Path of the file in the source. */
  path: string
  /** 1-based line. Absent for descriptions. */
  line?: number
  /** Relevance of the other skill as a share of the own skill's. Absent if the own skill is not among the first matches. */
  share?: number
  /** Whether `match` answers the text, and the other skill ranks above the own skill. */
  taken: boolean
  /** Telling words of the text that the own skill does not have. */
  missing: readonly string[]
}

/** Two skills that compete for messages. */
export interface Overlap {
  skills: readonly [OverlapSkill, OverlapSkill]
  messages: readonly OverlapMessage[]
}

export interface OverlapSkill {
  id: SkillId
  name: string
  /** Words that this skill has in its name, description, tags and messages, and the other does not. */
  only: readonly string[]
}

/**
 * Relevance of another skill from which a text counts as contested. A skill ranks high for its own indexed text, so that share is lower.
 * Measured on 2,474 messages for 36 collections: from 0.6, pairs explain 20 % of the wrong first matches, with one pair for four skills.
 */
const MIN_SHARE = { indexed: 0.6, 'triggers.yaml': 0.9 }
const LIMIT = 5
const MIN_WORDS = 3
/** A sentence of more skills than this is boilerplate, which separates none of them. */
const MAX_SHARED = 2
const MAX_WORDS = 6

interface OwnText extends Pick<OverlapMessage, 'text' | 'from' | 'path' | 'line'> {
  /** Folded names of the skills that may rank first. `undefined`: only the skill itself. */
  accepts?: ReadonlySet<string> | undefined
}

/** Matches the texts of each skill against the library. Returns the pairs that compete, those that take messages first. */
export async function findOverlaps(
  library: SkillLibrary,
  source: SkillSource,
  skills: readonly TreeSkill[],
  { signal, onProgress }: AbortOptions & { onProgress(done: number, total: number): void },
): Promise<Overlap[]> {
  const byId = new Map(skills.map(skill => [skillId(source.name, skill.entry.path), skill]))
  const names = new Set(library.snapshot.skills.map(({ name }) => foldText(name)))
  const competitors = new Map<SkillId, Competitor>()
  for (const { id } of library.snapshot.skills) {
    const skill = byId.get(id)
    if (skill) competitors.set(id, { id, skill, description: descriptionOf(skill, names) })
  }
  const sentenceUses = countSentences(
    [...competitors.values()].map(({ description }) => description),
  )
  const { idf } = await loadCorpusStatistics()
  const pairs = new Map<string, { skills: [Competitor, Competitor]; messages: OverlapMessage[] }>()
  for (const [index, own] of [...competitors.values()].entries()) {
    for (const { accepts, ...text } of await textsOf(source, own, sentenceUses, signal)) {
      const found = await library.search(text.text, { limit: LIMIT, signal })
      const { matches } = found
      // Nobody takes a text for which `match` answers nothing.
      if (!isLikely(matches, THRESHOLD) && !isServed(found)) continue
      const isRight = ({ id, name }: SkillMatch): boolean =>
        id === own.id || accepts?.has(foldText(name)) === true
      const match = matches.find(isRight)
      const isTrigger = text.from === 'triggers.yaml'
      // A skill that is far behind for a sentence of its description shows that the sentence is general.
      if (!match && !isTrigger) continue
      const isTaken = match !== matches[0]
      // A message is a message of its skill, so that it fires, whatever the words of others.
      if (!isTaken && text.from === 'message' && isLikely(matches, THRESHOLD)) continue
      const relevance = match?.signals.relevance
      // Only the first match takes a text; the others are below it.
      for (const other of isTaken ? matches.slice(0, 1) : matches) {
        const rival = competitors.get(other.id)
        if (!rival || isRight(other)) continue
        const share = relevance === undefined ? undefined : other.signals.relevance / relevance
        const minimum = MIN_SHARE[isTrigger ? 'triggers.yaml' : 'indexed']
        if (!isTaken && share !== undefined && share < minimum) break
        const [a, b] = own.id < rival.id ? [own, rival] : [rival, own]
        const key = `${a.id}\n${b.id}`
        const pair = pairs.get(key) ?? { skills: [a, b], messages: [] }
        pair.messages.push({
          skill: own.id,
          ...text,
          ...(share === undefined ? {} : { share }),
          taken: isTaken,
          missing: missingWords(match, other, idf),
        })
        pairs.set(key, pair)
      }
    }
    onProgress(index + 1, competitors.size)
  }
  return [...pairs.values()]
    .map(({ skills: [a, b], messages }): Overlap => {
      const [wordsOfA, wordsOfB] = [tellingWords(a, idf), tellingWords(b, idf)]
      messages.sort((x, y) => Number(y.taken) - Number(x.taken) || (y.share ?? 1) - (x.share ?? 1))
      return {
        skills: [describe(a, wordsOfA, wordsOfB), describe(b, wordsOfB, wordsOfA)],
        messages,
      }
    })
    .sort((x, y) => severityOf(y) - severityOf(x) || (x.skills[0].id < y.skills[0].id ? -1 : 1))
}

interface Competitor {
  id: SkillId
  skill: TreeSkill
  /** Sentences. */
  description: readonly string[]
}

function describe({ id, skill }: Competitor, own: Words, other: Words): OverlapSkill {
  const only = [...own].flatMap(([key, word]) => (other.has(key) ? [] : [word]))
  return { id, name: skill.entry.name, only: only.slice(0, MAX_WORDS) }
}

/** Taken messages weigh more than any share. */
function severityOf({ messages }: Overlap): number {
  return messages.filter(({ taken }) => taken).length * 10 + (messages[0]?.share ?? 1)
}

async function textsOf(
  source: SkillSource,
  { skill, description }: Competitor,
  sentenceUses: ReadonlyMap<string, number>,
  signal: AbortSignal | undefined,
): Promise<OwnText[]> {
  const { entry, file } = skill
  const texts: OwnText[] = description
    .filter(sentence => wordsIn(sentence).length >= MIN_WORDS)
    .filter(sentence => (sentenceUses.get(foldText(sentence)) ?? 0) <= MAX_SHARED)
    .map(text => ({ text, from: 'description', path: file }))
  for (const { message, skills, file: path, line } of await readSkillTriggers(
    source,
    skill,
    signal,
  )) {
    const accepts = skills && new Set(skills.map(foldText))
    // A case for other skills, or for none, is no text of this skill.
    if (
      accepts &&
      ![entry.name, entry.displayName ?? ''].some(name => accepts.has(foldText(name)))
    ) {
      continue
    }
    const from = /\.ya?ml$/.test(path) ? 'triggers.yaml' : 'message'
    texts.push({ text: plainLine(message), from, path, line, accepts })
  }
  return texts
}

/** Names the skill to take instead: "For X see `other`", "use the other skill for X". */
const REDIRECT =
  /(?:\b(?:see|use|try|prefer|instead)\b[,:]?\s{1,3}(?:(?:also|the|skill)\s{1,3}){0,3}|(?:参见|請用|请用|改用|使用)\s{0,3})[`"'“「]?([\p{L}\p{N}_-]{1,80})/giu

/** The sentences of a description that say what the skill is for. */
function descriptionOf({ entry }: TreeSkill, names: ReadonlySet<string>): string[] {
  const own = foldText(entry.name)
  const isRedirect = (sentence: string): boolean =>
    [...sentence.matchAll(REDIRECT)].some(
      ([, name = '']) => foldText(name) !== own && names.has(foldText(name)),
    )
  return removeNegatedClauses(entry.description)
    .split(/(?<=[.!?;])\s+|[。！？；\n]+/)
    .map(plainLine)
    .filter(sentence => !isRedirect(sentence))
}

function countSentences(descriptions: readonly (readonly string[])[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const description of descriptions) {
    for (const sentence of new Set(description.map(foldText))) {
      counts.set(sentence, (counts.get(sentence) ?? 0) + 1)
    }
  }
  return counts
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' })

function wordsIn(text: string): string[] {
  return [...segmenter.segment(text)].flatMap(({ segment, isWordLike }) =>
    isWordLike ? [segment] : [],
  )
}

/** Words by their folded form. */
type Words = Map<string, string>

/** The telling words of a skill, the rarest first. */
function tellingWords(
  { skill: { entry, details }, description }: Competitor,
  idf: (term: string) => number,
): Words {
  const text = [entry.name, ...entry.tags, ...description, ...(details.messages ?? [])]
  const words = wordsIn(text.join('\n').replace(/[-_:]/g, ' ')).map(word =>
    word.replace(/['’]s$/, ''),
  )
  return new Map(
    words
      .map(word => ({ word, key: foldText(word), rarity: idf(foldText(word)) }))
      .filter(({ key, rarity }) => [...key].length > 1 && rarity >= MIN_IDF)
      .sort((a, b) => b.rarity - a.rarity)
      .map(({ key, word }) => [key, word]),
  )
}

/** Texts printed for each pair, and pairs printed. */
const MAX_TEXTS = 3
const MAX_PAIRS = 50

export function printOverlaps(io: Io, overlaps: readonly Overlap[], all: boolean): void {
  printLines(io, '')
  const colors = colorsFor(io)
  const shown = all ? overlaps : overlaps.slice(0, MAX_PAIRS)
  const rows: Row[] = []
  for (const { skills, messages } of shown) {
    const [a, b] = skills
    const nameOf = (id: string): string => (a.name === b.name ? id : id === a.id ? a.name : b.name)
    rows.push({ heading: { text: `${nameOf(a.id)} and ${nameOf(b.id)}`, paint: colors.bold } })
    for (const message of all ? messages : messages.slice(0, MAX_TEXTS)) {
      const other = nameOf(message.skill === a.id ? b.id : a.id)
      const { text, taken, missing } = message
      const paint = taken ? colors.red : colors.yellow
      rows.push([
        nameOf(message.skill),
        `${message.from}: ${text}`,
        {
          text: taken
            ? `taken by ${other}`
            : `${Math.floor((message.share ?? 0) * 100)} % for ${other}`,
          paint,
        },
      ])
      if (missing.length > 0) {
        rows.push([nameOf(message.skill), `missing here: ${missing.join(', ')}`, ''])
      }
    }
    for (const { id, only } of skills) {
      rows.push([
        nameOf(id),
        only.length > 0 ? `only here: ${only.join(', ')}` : 'no word of its own',
        '',
      ])
    }
  }
  if (rows.length > 0) {
    printTable(io, [['skill'], ['text or words', 'flexible'], ['relevance', 'flexible']], rows)
  }
  if (shown.length < overlaps.length) {
    printLines(io, `… and ${overlaps.length - shown.length} more; print them with --all or --json`)
  }
  if (rows.length > 0) printLines(io, '')
  const taken = overlaps.flatMap(({ messages }) => messages).filter(message => message.taken).length
  const takenTexts = (taken > 0 ? colors.red : colors.green)(
    `${plural(taken, 'text')} taken by another skill`,
  )
  printLines(io, `${plural(overlaps.length, 'overlapping pair')}, ${takenTexts}`)
}
