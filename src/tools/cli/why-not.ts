import type { AbortOptions } from '../../core/abort.js'
import { isSkillFile } from '../../core/content.js'
import { isSkillshelfError } from '../../core/errors.js'
import { basename, dirname } from '../../core/paths.js'
import { termsOf } from '../../core/text/analyze.js'
import { removeNegatedClauses } from '../../core/text/description-negation.js'
import { foldText } from '../../core/text/fold.js'
import type { Explanation, SkillFilter, SkillLibrary } from '../../library/api/skill-library.js'
import { filterSkills } from '../../library/query/arguments.js'
import { messageKey } from '../../search/index/message-key.js'
import { loadCorpusStatistics } from '../../search/match/corpus-statistics.js'
import { analyzeQuery } from '../../search/match/query.js'
import { weighTerms } from '../../search/match/query-terms.js'
import { wishOf } from '../../search/match/said.js'
import { MAYBE_SERVED, twoDigits } from '../../search/match/score.js'
import type { MatcherResult, RankedMatch } from '../../search/match/skill-match.js'
import type { SkillId } from '../../skill/skill.js'

/** What keeps a skill from matching a message. `matches`: nothing does. */
export type Obstacle =
  | 'matches'
  | 'disabled'
  | 'left-out'
  | 'filtered'
  | 'hidden'
  | 'ruled-out'
  | 'excluded'
  | 'nothing-in-common'
  | 'taken'
  | 'subject'
  | 'rivals'
  | 'unlike'

/** Why a skill does not match a message, and what would change that. */
export interface WhyNot {
  message: string
  skill: { id: SkillId; name: string }
  obstacle: Obstacle
  /** One sentence with the figures that decided. */
  sentence: string
  /** One sentence each. */
  changes: readonly string[]
  score: number
  threshold: number
  /** The probability that some skill of the library serves the message. */
  served: number
  /** 1 is best; 0 if it is not ranked. */
  rank: number
  /** Words of the message that the skill does not have. */
  missing: readonly string[]
  /** The skill that ranks above it, or the next one. */
  rival?: { id: SkillId; name: string; score: number }
}

interface WhyNotOptions extends AbortOptions, Pick<SkillFilter, 'tags'> {
  threshold: number
}

/** What is said of skills that a library does not have. */
const UNAVAILABLE: ReadonlyMap<string, Obstacle> = new Map([
  ['skill-disabled', 'disabled'],
  ['skill-left-out', 'left-out'],
  ['skill-unreadable', 'left-out'],
])

/** Explains what keeps a skill from matching. @throws the errors of `library.explain` */
export async function explainWhyNot(
  library: SkillLibrary,
  message: string,
  name: string,
  { threshold, tags, signal }: WhyNotOptions,
): Promise<WhyNot> {
  const found = await library.search(message, { limit: 2, tags, signal })
  let explained: Explanation
  try {
    explained = await library.explain(message, name, { signal })
  } catch (error) {
    const problem = isSkillshelfError(error, 'skill-not-found') && problemOf(library, name)
    if (!problem) throw error
    return { message, threshold, served: found.served, score: 0, rank: 0, missing: [], ...problem }
  }
  const { id, rank, score, signals } = explained
  const rival = found.matches.find(match => match.id !== id)
  const facts = {
    message,
    skill: { id, name: explained.name },
    score,
    threshold,
    served: found.served,
    rank,
    missing: signals.missing,
    ...(rival ? { rival: { id: rival.id, name: rival.name, score: rival.score } } : {}),
  }
  const summary = library.snapshot.skills.find(skill => skill.id === id)
  if (summary && filterSkills([summary], { tags }).length === 0) {
    const sentence = `${explained.name} does not match: it does not have the tag ${tags?.join(' or ')}.`
    return {
      ...facts,
      obstacle: 'filtered',
      sentence,
      changes: ['Leave out --tag, or add the tag.'],
    }
  }
  const description = summary?.description ?? ''
  const corpus = await loadCorpusStatistics()
  const { removeRuledOut, isFunctional } = corpus
  const telling = (words: readonly string[]) => words.filter(word => !isFunctional([word]))
  const ruledOut = telling(
    sharedWords(`${explained.name} ${description}`, message, removeRuledOut(message)),
  )
  const excluded = telling(sharedWords(message, description, removeNegatedClauses(description)))
  const notMessage = await findNotMessage(library, explained, message)
  const query = analyzeQuery({ message }, corpus)
  const { obstacle, sentence } = obstacleOf({
    isSubject: wishOf(query, weighTerms(query, [], corpus), corpus) < threshold,
    explained,
    found,
    rival,
    threshold,
    ruledOut,
    excluded,
    notMessage,
  })
  const { similarMessage } = signals
  const hasMessage =
    similarMessage !== undefined && messageKey(similarMessage) === messageKey(message)
  const changes =
    obstacle === 'matches'
      ? []
      : changesFor(obstacle, { ...facts, ruledOut, excluded, notMessage, hasMessage })
  return { ...facts, obstacle, sentence, changes }
}

/** The message that the skill is not for, if the user's is equal or like it. */
async function findNotMessage(
  library: SkillLibrary,
  { id, signals: { ruledOut } }: Explanation,
  message: string,
): Promise<string | undefined> {
  if (ruledOut === undefined) return undefined
  const { notMessages = [] } = await library.get(id)
  // A reason may have the beginning alone.
  const beginning = ruledOut.replace(/…$/, '')
  const key = messageKey(message)
  return notMessages.find(one => messageKey(one) === key || one.startsWith(beginning))
}

/** Why a library does not have a skill of its source. */
function problemOf(
  { snapshot }: SkillLibrary,
  name: string,
): Pick<WhyNot, 'skill' | 'obstacle' | 'sentence' | 'changes'> | undefined {
  for (const { code, path = '', message, hint } of snapshot.diagnostics) {
    const obstacle = UNAVAILABLE.get(code)
    const folder = isSkillFile(path) ? dirname(path) : path
    const names = [path, folder, basename(folder)]
    if (!obstacle || !names.some(one => foldText(one) === foldText(name))) continue
    return {
      skill: { id: folder, name },
      obstacle,
      sentence: `${name} does not match: ${message}.`,
      changes: [
        obstacle === 'disabled'
          ? 'Remove "enabled: false" from its frontmatter.'
          : `Mend its SKILL.md: ${hint ?? 'see "npx skillshelf validate"'}.`,
      ],
    }
  }
  return undefined
}

interface Situation {
  /** The message says too little for one skill. */
  isSubject: boolean
  explained: RankedMatch & { rank: number }
  found: MatcherResult
  rival: RankedMatch | undefined
  threshold: number
  /** Words of the skill that the message rules out, and words of the message that the description does. */
  ruledOut: readonly string[]
  excluded: readonly string[]
  notMessage: string | undefined
}

function obstacleOf({
  isSubject,
  explained: { name, rank, score, reason },
  found: { served, abstained },
  rival,
  threshold,
  ruledOut,
  excluded,
  notMessage,
}: Situation): Pick<WhyNot, 'obstacle' | 'sentence'> {
  const own = twoDigits(score)
  const above = `the threshold ${threshold}`
  if (rank === 1 && score > threshold) {
    return {
      obstacle: 'matches',
      sentence: `${name} matches: it is first, and its score ${own} is above ${above}.`,
    }
  }
  const figures = rank === 0 ? `score ${own}, ${above}` : `score ${own}, rank ${rank}, ${above}`
  const say = (obstacle: Obstacle, why: string) => ({
    obstacle,
    sentence: `${name} does not match (${figures}): ${why}.`,
  })
  if (ruledOut.length > 0) {
    return say('ruled-out', `the message rules out ${quoted(ruledOut)}, which the skill is about`)
  }
  if (notMessage !== undefined) {
    return say('excluded', `its messages.txt has ${quoted([notMessage])} below \`# not\``)
  }
  if (excluded.length > 0 && score <= threshold) {
    return say('excluded', `its description rules out ${quoted(excluded)}`)
  }
  if (abstained === 'empty-message') {
    return say('nothing-in-common', 'the message has no words, or only function words')
  }
  if (rank === 0) {
    return /^no word in common/.test(reason)
      ? say('nothing-in-common', 'it has no word in common with the message')
      : say('hidden', reason)
  }
  if (rank > 1 && rival && rival.score > threshold) {
    return say('taken', `${rival.name} takes the message with ${twoDigits(rival.score)}`)
  }
  if (isSubject && rank === 1 && served >= MAYBE_SERVED) {
    return say('subject', 'one common word is a subject, and does not say what to do')
  }
  // The first skill would match if it were alone.
  if (served >= (rank > 1 ? MAYBE_SERVED : threshold) && rival && rival.score > 0) {
    const place = rank > 1 ? 'ranks above it' : 'is a close rival'
    return say(
      'rivals',
      `some skill probably serves the message (${twoDigits(served)}), but ${rival.name} ${place} with ${twoDigits(rival.score)}`,
    )
  }
  return say(
    'unlike',
    `the library says too little of the message; that any skill serves it has the probability ${twoDigits(served)}`,
  )
}

function changesFor(
  obstacle: Obstacle,
  {
    skill: { name },
    missing,
    rival,
    ruledOut,
    excluded,
    notMessage,
    hasMessage,
  }: Pick<WhyNot, 'skill' | 'missing' | 'rival'> &
    Pick<Situation, 'ruledOut' | 'excluded' | 'notMessage'> & { hasMessage: boolean },
): string[] {
  const changes: string[] = []
  const lacked = missing.filter(word => !ruledOut.includes(word) && !excluded.includes(word))
  if (obstacle === 'hidden') return ['Remove what hides it: see "npx skillshelf validate".']
  if (obstacle === 'excluded' && notMessage !== undefined) {
    return [`Take ${quoted([notMessage])} out of messages.txt of ${name}.`]
  }
  if (obstacle === 'ruled-out')
    changes.push(`Leave out the part of the message about ${quoted(ruledOut)}.`)
  if (obstacle === 'excluded') {
    changes.push(`Take ${quoted(excluded)} out of what the description rules out.`)
  }
  if (obstacle === 'subject') changes.push('Say in the message what to do with it.')
  if (lacked.length > 0) {
    changes.push(
      `The skill has no word for ${quoted(lacked)}: add those that belong to it to its description.`,
    )
  }
  if ((obstacle === 'taken' || obstacle === 'rivals') && rival) {
    changes.push(
      `Say in the description of ${rival.name} that it is not for this: "Not for …, use ${name}".`,
    )
  }
  changes.push(
    hasMessage
      ? `It is a message of ${name} already: take it out of the other skills that have it.`
      : `Add the message to messages.txt of ${name}: then it matches, unless another skill has the same message.`,
  )
  return changes
}

/** Words of `text` that `whole` has, and that what is left of it does not. */
function sharedWords(text: string, whole: string, left: string): string[] {
  if (left === whole) return []
  const kept = termsOf(left)
  const words = termsOf(text)
  return [...new Intl.Segmenter(undefined, { granularity: 'word' }).segment(whole)]
    .flatMap(({ segment, isWordLike }) => (isWordLike ? [foldText(segment)] : []))
    .filter((word, index, all) => all.indexOf(word) === index)
    .filter(word => words.has(word) && !kept.has(word))
}

function quoted(words: readonly string[]): string {
  return words.map(word => `“${word}”`).join(', ')
}
