import { invalidInput } from '../../core/errors.js'
import { escapeLine } from '../../core/sanitize.js'
import type { Conversation } from './conversation.js'
import { followLibrary, type LibraryEffects } from './follow-library.js'
import { findLost, observe } from './instructions.js'
import { load, undefinedIfRefused, unload } from './load.js'
import { isFollowUp, type MatchLimits, type MessageMatches, matchMessage, tailMatches } from './matches.js'
import { tailWithoutTools } from './prepare-without-tools.js'
import { closedNote, type PreparedTurn, rankedSection } from './prompt.js'
import type { Session } from './types.js'

/** Tokens of the prompt for a model without tools. */
const SMALL_PROMPT = 1_500

type Turn = Parameters<Session['prepare']>[0]
type PrepareOptions = NonNullable<Parameters<Session['prepare']>[1]>

/** Implements `Session.prepare`. */
export function prepare(conversation: Conversation, turn: Turn, options: PrepareOptions = {}): Promise<PreparedTurn> {
  const { activities, countTokens } = conversation
  const action = () => prepareTurn(conversation, turn, options)
  return activities.run({ type: 'prepare' }, action, ({ system, tail, matches, loaded }) => ({
    tokens: countTokens(system) + countTokens(tail),
    matches: matches.map(({ id, score }) => ({ id, score })),
    skills: loaded,
  }))
}

async function prepareTurn(
  conversation: Conversation,
  turn: Turn,
  { tools, maxTokens = Math.min(SMALL_PROMPT, Math.floor(conversation.limit / 2)), ...limits }: PrepareOptions,
): Promise<PreparedTurn> {
  const { session, dialect, learning, open, auto } = conversation
  const { signal } = limits
  const { message, history, files, url }: Exclude<Turn, string> =
    typeof turn === 'string' ? { message: turn } : (turn ?? {})
  if (tools !== undefined && tools !== 'none')
    throw invalidInput(`"tools" must be 'none', not ${JSON.stringify(tools)}`)
  await learning?.startTurn()
  const withoutTools = tools === 'none'
  conversation.withoutTools = withoutTools
  conversation.place = { ...(files && { files }), ...(url !== undefined && { url }) }
  if (history) observe(conversation, history, 'history')
  const effects = await followLibrary(conversation, signal)
  const found = await matchMessage(session, message, limits)
  const [best] = found.matches
  // A small model follows one skill at a time.
  if (withoutTools && best)
    for (const { entry, by } of open.records())
      if (by === 'model' && entry.skill.id !== best.id) unload(conversation, entry.skill.id)
  const opens = best && (withoutTools ? !open.get(best.id) : auto)
  const options = { by: 'model', signal, ...(withoutTools ? { maxTokens } : {}) } as const
  // A skill that is refused stays a match. If the model requests it, it gets the reason.
  const opened = opens ? await undefinedIfRefused(load(conversation, best.id, options)) : undefined
  const loaded = opened?.status === 'loaded' ? [opened.skill.id] : []
  const tail = withoutTools
    ? await tailWithoutTools(conversation, effects, best?.id, maxTokens, signal)
    : await tailWithTools(conversation, effects, found, loaded, limits)
  const sections = withoutTools ? [] : [dialect.catalog(session), dialect.sections?.(session)]
  const system = sections.filter(Boolean).join('\n\n')
  const { matches, maybe } = found
  const { messages } = conversation
  learning?.hear(message, isFollowUp(message, messages), found)
  return { system, tail, matches, maybe, loaded, closed: effects.closed.map(({ skill }) => skill.id), messages }
}

async function tailWithTools(
  conversation: Conversation,
  { outdated, changed }: LibraryEffects,
  found: MessageMatches,
  loaded: PreparedTurn['loaded'],
  limits: MatchLimits,
): Promise<string> {
  const { session, dialect, library, open, countTokens } = conversation
  const opened = open.entries().filter(({ skill }) => loaded.includes(skill.id))
  const instructions =
    dialect.placement === 'section'
      ? []
      : [
          ...outdated.map(({ skill }) => closedNote(skill)),
          ...findLost(conversation).map(({ entry }) => dialect.reminder(entry.skill)),
          ...changed.flatMap(entry => [
            `The instructions of ${escapeLine(entry.skill.name)} have changed. These replace the earlier ones:`,
            dialect.skillText(session, entry),
          ]),
          ...opened.map(entry => dialect.skillText(session, entry)),
        ]
  const element = found.matches.length > 0 ? 'matching_skills' : 'possible_skills'
  const ranked = await tailMatches(session, found, limits)
  return [rankedSection(element, ranked, library.snapshot.skills, countTokens), ...instructions]
    .filter(Boolean)
    .join('\n')
}
