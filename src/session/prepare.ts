import { isSkillshelfError } from '../core/errors.js'
import type { MatchQuery, SkillMatch } from '../match/types.js'
import type { SkillId } from '../skill/types.js'
import { offeredMatches } from './offered-matches.js'
import { nearestSection } from './prompt/catalog-section.js'
import { matchesSection } from './prompt/matches-section.js'
import type { HostMessage, PreparedTurn, Session, SessionOptions } from './types.js'

/** Above this the first match is opened without asking, where the host wants that. */
const CONFIDENCE = 0.8
/** Matches of a turn. */
const MATCHES = 3
/** Skills that are named with a message where the catalog does not name all. */
const NEAREST = 20
/** Messages that count as what was said before. */
const SAID = 3
/** Words of a message that may be about the one before it: "yes, do that". Ideographs count a third. */
const SHORT = 8
/** Characters of a message that are looked at: a server takes no more. */
const MOST = 10_000

/** What a host needs for a turn: see `Session.prepare`. */
export async function prepareTurn(
  session: Session,
  { message, history }: { message: string; history?: readonly HostMessage[] | undefined },
  {
    auto,
    ...asked
  }: {
    auto: NonNullable<SessionOptions['auto']>
    limit?: number | undefined
    threshold?: number | undefined
    signal?: AbortSignal | undefined
  },
): Promise<PreparedTurn> {
  if (history) session.observe(history)
  const matches = await matchesFor(session, message, asked)
  const loaded: SkillId[] = []
  const [first] = matches
  const confident = auto === true ? CONFIDENCE : auto === false ? Number.POSITIVE_INFINITY : auto.confidence
  if (first && first.confidence > confident) {
    try {
      const { status } = await session.load(first.id, {
        by: 'model',
        signal: asked.signal,
      })
      if (status === 'loaded') loaded.push(first.id)
    } catch (error) {
      // It stays a match: the model may still ask for it, and is told why not.
      if (!isSkillshelfError(error) || isSkillshelfError(error, 'aborted', 'closed')) throw error
    }
  }
  const { dialect } = session
  const opened = session.open.filter(({ skill }) => dialect.placement === 'result' && loaded.includes(skill.id))
  const join = (parts: readonly (string | undefined)[], between: string): string => parts.filter(Boolean).join(between)
  return {
    system: join([dialect.catalog(session), dialect.sections?.(session)], '\n\n'),
    tail: join(
      [
        matchesSection(matches, session.library.snapshot.skills),
        await nearest(session, message, matches, asked),
        ...opened.map(open => dialect.skillText(session, open)),
      ],
      '\n',
    ),
    matches,
    loaded,
    messages: session.messages,
  }
}

/** Where the catalog has no room for all skills, those that may be meant are named with the message. */
async function nearest(
  session: Session,
  message: string,
  matches: readonly SkillMatch[],
  { signal }: { signal?: AbortSignal | undefined },
): Promise<string> {
  const { dialect, library, offered } = session
  if (dialect.listsAllSkills?.(session) ?? true) return ''
  const found = await offeredMatches(session, NEAREST, limit => library.search(lookedAt(message), { limit, signal }))
  const byId = new Map(offered.map(skill => [skill.id, skill]))
  return nearestSection(
    [...new Set([...matches, ...found].map(({ id }) => id))].flatMap(id => byId.get(id) ?? []),
    library.snapshot.skills,
  )
}

async function matchesFor(
  session: Session,
  message: string,
  {
    limit: most = MATCHES,
    ...asked
  }: { limit?: number | undefined; threshold?: number | undefined; signal?: AbortSignal | undefined },
): Promise<readonly SkillMatch[]> {
  const { library, messages } = session
  const match = (query: MatchQuery): Promise<SkillMatch[]> =>
    offeredMatches(session, most, limit => library.match(query, { ...asked, limit }))
  const said = messages.filter(({ role, content }) => content !== '' && (role === 'user' || role === 'assistant'))
  const history = said.slice(-SAID).map(({ content }) => content)
  const matches = await match({ message: lookedAt(message), history })
  const before = said.findLast(({ role }) => role === 'user')?.content
  if (matches.length > 0 || before === undefined || !isShort(message)) return matches
  // "Yes, do that" is about what the turn before was about.
  return match({ message: lookedAt(before) })
}

/** What is wanted stands before or after what was pasted. */
function lookedAt(message: string): string {
  if (typeof message !== 'string' || message.length <= MOST) return message
  return `${message.slice(0, MOST / 2 - 1)} ${message.slice(-MOST / 2)}`
}

function isShort(message: string): boolean {
  const ideographs = message.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu)?.length ?? 0
  const words = message.match(/[\p{L}\p{N}]+/gu)?.length ?? 0
  return words + ideographs / 3 <= SHORT
}
