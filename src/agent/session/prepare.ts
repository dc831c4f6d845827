import type { AbortOptions } from '../../core/abort.js'
import { invalidInput } from '../../core/errors.js'
import { escapeLine } from '../../core/sanitize.js'
import { checkOptionNames, type OptionNames } from '../../core/text/option-names.js'
import type { SkillId } from '../../skill/skill.js'
import type { Conversation } from './conversation.js'
import { followLibrary, type LibraryEffects } from './follow-library.js'
import { findLost, observe } from './instructions.js'
import { load, undefinedIfRefused, unload } from './load.js'
import {
  isFollowUp,
  type MatchLimits,
  type MessageMatches,
  matchMessage,
  tailMatches,
} from './matches.js'
import { tailWithoutTools } from './prepare-without-tools.js'
import { closedNote, type PreparedTurn, rankedSection } from './prompt.js'
import type { PrepareOptions, PrepareTurn } from './types.js'

/** Tokens of the prompt for a model without tools. */
const SMALL_PROMPT = 1_500

/** What both kinds of a turn know before they write its prompt. */
interface Turn {
  found: MessageMatches
  effects: LibraryEffects
  limits: MatchLimits
}

/** The parts of a prompt that depend on the kind of the model. */
type Prompt = Pick<PreparedTurn, 'system' | 'tail' | 'loaded'>

const OPTIONS = {
  limit: 1,
  threshold: 1,
  tools: 1,
  maxTokens: 1,
  signal: 1,
} satisfies OptionNames<PrepareOptions>

/** Implements `Session.prepare`. */
export function prepare(
  conversation: Conversation,
  turn: string | PrepareTurn,
  options: PrepareOptions = {},
): Promise<PreparedTurn> {
  const { activities, countTokens } = conversation
  const action = async () => {
    checkOptionNames(options, OPTIONS)
    return prepareTurn(conversation, turn, options)
  }
  return activities.run({ type: 'prepare' }, action, ({ system, tail, matches, loaded }) => ({
    tokens: countTokens(system) + countTokens(tail),
    matches: matches.map(({ id, score }) => ({ id, score })),
    skills: loaded,
  }))
}

async function prepareTurn(
  conversation: Conversation,
  turn: string | PrepareTurn,
  { tools, maxTokens, ...limits }: PrepareOptions,
): Promise<PreparedTurn> {
  const { session, learning } = conversation
  const { message, history, files, url }: PrepareTurn =
    typeof turn === 'string' ? { message: turn } : (turn ?? {})
  if (tools !== undefined && tools !== 'none') {
    throw invalidInput(`"tools" must be 'none', not ${JSON.stringify(tools)}`)
  }
  await learning?.startTurn()
  conversation.withoutTools = tools === 'none'
  conversation.place = { ...(files && { files }), ...(url !== undefined && { url }) }
  if (history) observe(conversation, history, 'history')
  const effects = await followLibrary(conversation, limits.signal)
  const found = await matchMessage(session, message, limits)
  const prompt = conversation.withoutTools
    ? await promptWithoutTools(conversation, { found, effects, limits }, maxTokens)
    : await promptWithTools(conversation, { found, effects, limits })
  const { matches, maybe } = found
  const { messages } = conversation
  learning?.hear(message, isFollowUp(message, messages), found)
  return {
    ...prompt,
    status: matches.length > 0 ? 'match' : maybe.length > 0 ? 'maybe' : 'none',
    matches,
    maybe,
    closed: effects.closed.map(({ skill }) => skill.id),
    messages,
  }
}

/** The catalog and the skills for the message. With the option `auto`, the first match is opened. */
async function promptWithTools(conversation: Conversation, turn: Turn): Promise<Prompt> {
  const { session, dialect, auto } = conversation
  const [best] = turn.found.matches
  const opened = best && auto ? await openMatch(conversation, best.id, turn.limits) : undefined
  const loaded = opened === undefined ? [] : [opened]
  const tail = await tailWithTools(conversation, turn, loaded)
  const system = [dialect.catalog(session), dialect.sections?.(session)]
    .filter(Boolean)
    .join('\n\n')
  return { system, tail, loaded }
}

/** The instructions of the first match, which is opened, and replaces the one that the model opened before: a small model follows one skill at a time. */
async function promptWithoutTools(
  conversation: Conversation,
  { found, effects, limits: { signal } }: Turn,
  maxTokens = Math.min(SMALL_PROMPT, Math.floor(conversation.limit / 2)),
): Promise<Prompt> {
  const { open } = conversation
  const [best] = found.matches
  if (best) closeOthers(conversation, best.id)
  const isOpened = best !== undefined && open.get(best.id) === undefined
  const opened = isOpened
    ? await openMatch(conversation, best.id, { signal, maxTokens })
    : undefined
  const tail = await tailWithoutTools(conversation, { effects, best: best?.id, maxTokens, signal })
  return { system: '', tail, loaded: opened === undefined ? [] : [opened] }
}

/** Closes the skills that the model opened, but one. */
function closeOthers(conversation: Conversation, kept: SkillId): void {
  for (const { entry, by } of conversation.open.records()) {
    if (by === 'model' && entry.skill.id !== kept) unload(conversation, entry.skill.id)
  }
}

/**
 * Opens a match for the model. A skill that is refused stays a match: if the model requests it, it gets the reason.
 * @returns Its id; `undefined` if it was open before, or is refused
 */
async function openMatch(
  conversation: Conversation,
  id: SkillId,
  { signal, maxTokens }: AbortOptions & { maxTokens?: number },
): Promise<SkillId | undefined> {
  const options = {
    by: 'model',
    signal,
    ...(maxTokens === undefined ? {} : { maxTokens }),
  } as const
  const opened = await undefinedIfRefused(load(conversation, id, options))
  return opened?.status === 'loaded' ? opened.skill.id : undefined
}

async function tailWithTools(
  conversation: Conversation,
  { found, effects: { outdated, changed }, limits }: Turn,
  loaded: PreparedTurn['loaded'],
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
