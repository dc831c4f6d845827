import { plainLine } from '../../core/sanitize.js'
import { foldText } from '../../core/text/fold.js'
import { removeNegatedClauses } from '../../core/text/negation.js'
import { skillId } from '../../library/catalog/snapshot.js'
import type { TreeSkill } from '../../library/catalog/types.js'
import type { SkillLibrary } from '../../library/types.js'
import { loadBackground } from '../../search/match/background.js'
import type { SkillId } from '../../skill/skill.js'
import type { SkillSource } from '../../source/source.js'
import { type Io, printLines } from './io.js'
import { readSkillTriggers } from './skill-triggers.js'
import { type Cell, colorsFor, type Heading, table } from './table.js'
import { plural } from './text.js'

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
  /** Whether the other skill ranks above the own skill. */
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

export interface OverlapOptions {
  signal?: AbortSignal | undefined
  onProgress?: ((done: number, total: number) => void) | undefined
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
/** Words below this idf, such as "use" and "data", do not separate skills. */
const MIN_IDF = 2

interface OwnText extends Pick<OverlapMessage, 'text' | 'from' | 'path' | 'line'> {
  /** Folded names of the skills that may rank first. `undefined`: only the skill itself. */
  accepts?: ReadonlySet<string> | undefined
}

/**
 * Matches the texts of each skill against the library: the sentences of its description, its messages, and its triggers.yaml.
 * @returns The pairs of skills that compete, those that take messages first.
 */
export async function findOverlaps(
  library: SkillLibrary,
  source: SkillSource,
  skills: readonly TreeSkill[],
  { signal, onProgress }: OverlapOptions = {},
): Promise<Overlap[]> {
  const byId = new Map(skills.map(skill => [skillId(source.name, skill.entry.path), skill]))
  const listed = library.snapshot.skills.filter(({ id }) => byId.has(id))
  const sentenceUses = countSentences(listed.map(({ description }) => description))
  const { idf } = await loadBackground()
  const isTelling = (word: string): boolean => idf(foldText(word)) >= MIN_IDF
  const pairs = new Map<string, OverlapMessage[]>()
  for (const [index, own] of listed.entries()) {
    const texts = await textsOf(source, byId.get(own.id) as TreeSkill, sentenceUses, signal)
    for (const { accepts, ...text } of texts) {
      const { matches } = await library.search(text.text, { limit: LIMIT, signal })
      const match = matches.find(({ id }) => id === own.id)
      const isTrigger = text.from === 'triggers.yaml'
      // A skill that is far behind for a sentence of its description shows that the sentence is general.
      if (!match && !isTrigger) continue
      const relevance = match?.signals.relevance
      for (const other of matches) {
        if (other === match || accepts?.has(foldText(other.name))) continue
        const share = relevance === undefined ? undefined : other.signals.relevance / relevance
        if (share !== undefined && share < MIN_SHARE[isTrigger ? 'triggers.yaml' : 'indexed']) break
        const key = [own.id, other.id].sort().join('\n')
        const taken = match === undefined || matches.indexOf(other) < matches.indexOf(match)
        const missing = (match?.signals.missing ?? other.signals.terms.map(({ text }) => text)).filter(isTelling)
        const message = { skill: own.id, ...text, ...(share === undefined ? {} : { share }), taken, missing }
        pairs.set(key, [...(pairs.get(key) ?? []), message])
        // Only the first match takes a message; the others are below it.
        if (match === undefined) break
      }
    }
    onProgress?.(index + 1, listed.length)
  }
  const wordsOf = wordReader(idf)
  return [...pairs]
    .map(([key, messages]): Overlap => {
      const ids = key.split('\n') as [SkillId, SkillId]
      const [a, b] = ids.map(id => wordsOf(byId.get(id) as TreeSkill)) as [Map<string, string>, Map<string, string>]
      const describe = (id: SkillId, own: Map<string, string>, other: Map<string, string>): OverlapSkill => ({
        id,
        name: (byId.get(id) as TreeSkill).entry.name,
        only: [...own]
          .filter(([word]) => !other.has(word))
          .map(([, text]) => text)
          .slice(0, MAX_WORDS),
      })
      return {
        skills: [describe(ids[0], a, b), describe(ids[1], b, a)],
        messages: messages.sort((x, y) => Number(y.taken) - Number(x.taken) || (y.share ?? 1) - (x.share ?? 1)),
      }
    })
    .sort((x, y) => severityOf(y) - severityOf(x) || (x.skills[0].id < y.skills[0].id ? -1 : 1))
}

/** Taken messages weigh more than any share. */
function severityOf({ messages }: Overlap): number {
  return messages.filter(({ taken }) => taken).length * 10 + (messages[0]?.share ?? 1)
}

async function textsOf(
  source: SkillSource,
  skill: TreeSkill,
  sentenceUses: ReadonlyMap<string, number>,
  signal: AbortSignal | undefined,
): Promise<OwnText[]> {
  const { entry, file } = skill
  const texts: OwnText[] = sentencesOf(entry.description)
    .filter(sentence => (sentenceUses.get(foldText(sentence)) ?? 0) <= MAX_SHARED)
    .map(text => ({ text, from: 'description', path: file }))
  for (const { message, skills, path, line } of await readSkillTriggers(source, skill, signal)) {
    const accepts = skills && new Set(skills.map(foldText))
    // A case for other skills, or for none, is no text of this skill.
    if (accepts && ![entry.name, entry.displayName ?? ''].some(name => accepts.has(foldText(name)))) continue
    const from = /\.ya?ml$/.test(path) ? 'triggers.yaml' : 'message'
    texts.push({ text: plainLine(message), from, path, line, accepts })
  }
  return texts
}

/** The sentences of a description that say what the skill is for. */
function sentencesOf(description: string): string[] {
  return removeNegatedClauses(description)
    .split(/(?<=[.!?;])\s+|[。！？；\n]+/)
    .map(plainLine)
    .filter(sentence => wordsIn(sentence).length >= MIN_WORDS)
}

function countSentences(descriptions: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const description of descriptions)
    for (const sentence of new Set(sentencesOf(description).map(foldText)))
      counts.set(sentence, (counts.get(sentence) ?? 0) + 1)
  return counts
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' })

function wordsIn(text: string): string[] {
  return [...segmenter.segment(text)].flatMap(({ segment, isWordLike }) => (isWordLike ? [segment] : []))
}

/** Returns a function that reads the telling words of a skill by their folded form, the rarest first. */
function wordReader(idf: (term: string) => number): (skill: TreeSkill) => Map<string, string> {
  const cache = new Map<TreeSkill, Map<string, string>>()
  const read = ({ entry, details }: TreeSkill): Map<string, string> => {
    const text = [entry.name, ...entry.tags, removeNegatedClauses(entry.description), ...(details.messages ?? [])]
    const words = wordsIn(text.join('\n').replace(/[-_:]/g, ' ')).map(word => word.replace(/['’]s$/, ''))
    return new Map(
      words
        .map(word => ({ word, key: foldText(word), rarity: idf(foldText(word)) }))
        .filter(({ key, rarity }) => [...key].length > 1 && rarity >= MIN_IDF)
        .sort((a, b) => b.rarity - a.rarity)
        .map(({ key, word }) => [key, word]),
    )
  }
  return skill => {
    const words = cache.get(skill) ?? read(skill)
    cache.set(skill, words)
    return words
  }
}

/** Texts printed for each pair, and pairs printed. */
const MAX_TEXTS = 3
const MAX_PAIRS = 50

/** Prints the pairs of skills that compete for messages. */
export function printOverlaps(io: Io, overlaps: readonly Overlap[], all: boolean): void {
  printLines(io, '')
  const colors = colorsFor(io)
  const shown = all ? overlaps : overlaps.slice(0, MAX_PAIRS)
  const rows: (Cell[] | Heading)[] = []
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
        { text: taken ? `taken by ${other}` : `${percent(message)} for ${other}`, paint },
      ])
      if (missing.length > 0) rows.push([nameOf(message.skill), `missing here: ${missing.join(', ')}`, ''])
    }
    for (const { id, only } of skills)
      rows.push([nameOf(id), only.length > 0 ? `only here: ${only.join(', ')}` : 'no word of its own', ''])
  }
  if (rows.length > 0)
    io.stdout(
      table(
        io,
        [{ head: 'skill' }, { head: 'text or words', flexible: true }, { head: 'relevance', flexible: true }],
        rows,
      ),
    )
  if (shown.length < overlaps.length)
    printLines(io, `… and ${overlaps.length - shown.length} more; print them with --all or --json`)
  if (rows.length > 0) printLines(io, '')
  const taken = overlaps.flatMap(({ messages }) => messages).filter(message => message.taken).length
  printLines(
    io,
    [
      plural(overlaps.length, 'overlapping pair'),
      (taken > 0 ? colors.red : colors.green)(`${plural(taken, 'text')} taken by another skill`),
    ].join(', '),
  )
}

function percent({ share = 0 }: OverlapMessage): string {
  return `${Math.floor(share * 100)} %`
}
