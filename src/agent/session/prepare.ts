import type { AbortOptions } from '../../core/abort.js'
import { isSkillshelfError } from '../../core/errors.js'
import { escapeLine } from '../../core/sanitize.js'
import { MATCH_LIMIT } from '../../search/match/score.js'
import type { MatcherResult, MatchQuery, SkillMatch } from '../../search/match/types.js'
import type { SkillId } from '../../skill/types.js'
import type { HostMessage, SessionMessage } from './messages.js'
import { offeredMatches } from './offered-matches.js'
import { nearestSection } from './prompt/catalog-section.js'
import { matchesSection, maybeSection } from './prompt/matches-section.js'
import type { OpenSkill, PreparedTurn, Session, SessionOptions } from './types.js'

/** Confidence above which `auto: true` opens the first match. */
const AUTO_CONFIDENCE = 0.8
/** Skills added to the message if the catalog does not list all. */
const NEAREST_LIMIT = 20
/** Earlier messages passed to `match`. */
const HISTORY_MESSAGES = 3
/** Words of a message that may refer to the one before it, such as "yes, do that". An ideograph counts a third. */
const SHORT_MESSAGE_WORDS = 8
/** Characters of a message that are matched. A server accepts no more. */
const MESSAGE_LENGTH = 10_000

export interface MatchLimits extends AbortOptions {
  limit?: number | undefined
  threshold?: number | undefined
}

/** How changes of the library affect the open skills. */
export interface LibraryEffects {
  /** Skills that were closed. */
  closed: readonly OpenSkill[]
  /** Closed skills whose instructions are still in the conversation. */
  outdated: readonly OpenSkill[]
  /** Skills with new instructions. */
  changed: readonly OpenSkill[]
}

interface TurnOptions extends MatchLimits {
  auto: NonNullable<SessionOptions['auto']>
  followChanges(signal: AbortSignal | undefined): Promise<LibraryEffects>
  /** Returns the open skills whose instructions are not in the conversation. */
  findLost(): readonly OpenSkill[]
}

/** Implements `Session.prepare`. */
export async function prepareTurn(
  session: Session,
  { message, history }: { message: string; history?: readonly HostMessage[] | undefined },
  { auto, followChanges, findLost, ...limits }: TurnOptions,
): Promise<PreparedTurn> {
  if (history) session.observe(history)
  const { closed, outdated, changed } = await followChanges(limits.signal)
  const found = await matchMessage(session, message, limits)
  const { matches } = found
  const isOpen = ({ id }: SkillMatch): boolean => session.open.some(({ skill }) => skill.id === id)
  const maybe = (found.maybe ?? []).filter(match => !isOpen(match))
  const loaded: SkillId[] = []
  const [best] = matches
  const threshold = auto === true ? AUTO_CONFIDENCE : auto === false ? Number.POSITIVE_INFINITY : auto.confidence
  if (best && best.confidence > threshold) {
    try {
      const { status } = await session.load(best.id, { by: 'model', signal: limits.signal })
      if (status === 'loaded') loaded.push(best.id)
    } catch (error) {
      // The skill stays a match. If the model requests it, it gets the reason.
      if (!isSkillshelfError(error) || isSkillshelfError(error, 'aborted', 'closed')) throw error
    }
  }
  const { dialect } = session
  const opened = session.open.filter(({ skill }) => loaded.includes(skill.id))
  const instructionTexts =
    dialect.placement === 'section'
      ? []
      : [
          ...outdated.map(({ skill }) => `${escapeLine(skill.name)} is closed: its instructions no longer apply.`),
          ...findLost().map(({ skill }) => dialect.reminder(skill)),
          ...changed.flatMap(open => [
            `The instructions of ${escapeLine(open.skill.name)} have changed. These replace the earlier ones:`,
            dialect.skillText(session, open),
          ]),
          ...opened.map(open => dialect.skillText(session, open)),
        ]
  const nearest = await nearestSkills(session, message, [...matches, ...maybe], limits)
  const join = (sections: readonly (string | undefined)[], separator: string): string =>
    sections.filter(Boolean).join(separator)
  return {
    system: join([dialect.catalog(session), dialect.sections?.(session)], '\n\n'),
    tail: join(
      [
        matchesSection(matches, session.library.snapshot.skills),
        nearest || maybeSection(maybe, session.library.snapshot.skills),
        ...instructionTexts,
      ],
      '\n',
    ),
    matches,
    maybe,
    loaded,
    closed: closed.map(({ skill }) => skill.id),
    messages: session.messages,
  }
}

/** Lists the skills nearest to the message, if the catalog does not list all. */
async function nearestSkills(
  session: Session,
  message: string,
  matches: readonly SkillMatch[],
  { signal }: AbortOptions,
): Promise<string> {
  const { dialect, library } = session
  if (dialect.listsAllSkills?.(session) ?? true) return ''
  const { matches: found } = await offeredMatches(session, NEAREST_LIMIT, limit =>
    library.search(shortenMessage(message), { limit, signal }),
  )
  const byId = new Map(session.offered.map(skill => [skill.id, skill]))
  return nearestSection(
    [...new Set([...matches, ...found].map(({ id }) => id))].flatMap(id => byId.get(id) ?? []),
    library.snapshot.skills,
  )
}

/** Finds the skills for a message of this conversation. */
export async function matchMessage(
  session: Session,
  message: string,
  { limit: maxMatches = MATCH_LIMIT, ...options }: MatchLimits,
): Promise<Pick<MatcherResult, 'matches' | 'maybe'>> {
  const { library, messages } = session
  const match = (query: MatchQuery): Promise<Pick<MatcherResult, 'matches' | 'maybe'>> =>
    offeredMatches(session, maxMatches, limit => library.match(query, { ...options, limit }))
  const spoken = messages.filter(({ role, content }) => content !== '' && (role === 'user' || role === 'assistant'))
  const history = spoken.slice(-HISTORY_MESSAGES).map(({ content }) => content)
  const found = await match({ message: shortenMessage(message), history })
  const previous = spoken.findLast(({ role }) => role === 'user')?.content
  if (found.matches.length > 0 || previous === undefined || !isShort(message)) return found
  // A message such as "yes, do that" refers to the previous one.
  return match({ message: shortenMessage(previous) })
}

/** Keeps both ends: a request comes before or after pasted text. */
function shortenMessage(message: string): string {
  if (typeof message !== 'string' || message.length <= MESSAGE_LENGTH) return message
  return `${message.slice(0, MESSAGE_LENGTH / 2 - 1)} ${message.slice(-MESSAGE_LENGTH / 2)}`
}

/** Whether a message may refer to the one before it, such as "yes, do that". */
export function isFollowUp(message: string, messages: readonly SessionMessage[]): boolean {
  return isShort(message) && messages.some(({ role, content }) => role === 'user' && content !== message)
}

function isShort(message: string): boolean {
  const ideographs = message.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu)?.length ?? 0
  const words = message.match(/[\p{L}\p{N}]+/gu)?.length ?? 0
  return words + ideographs / 3 <= SHORT_MESSAGE_WORDS
}
