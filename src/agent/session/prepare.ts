import type { AbortOptions } from '../../core/abort.js'
import { invalidInput } from '../../core/errors.js'
import { escapeLine } from '../../core/sanitize.js'
import { checkOptionNames, type OptionNames } from '../../core/text/option-names.js'
import { markOwnText } from '../../core/text/user-words.js'
import type { SkillId } from '../../skill/skill.js'
import { isMentioned } from './context.js'
import type { Conversation } from './conversation.js'
import { followLibrary, type LibraryEffects } from './follow-library.js'
import { findLost, isVisible, observe } from './instructions.js'
import { load, undefinedIfRefused, unload } from './load.js'
import { isFollowUp, type MatchLimits, type MessageMatches, matchMessage } from './matches.js'
import { type HostMessage, type Said, saidIn, saidLast, withText } from './messages.js'
import { tailWithoutTools } from './prepare-without-tools.js'
import { closedNote, type PreparedTurn, rankedSection } from './prompt.js'
import { tailRows } from './tail.js'
import type { PrepareOptions, PrepareTurn } from './types.js'

/** Messages of the user that a session remembers. */
const HEARD_MESSAGES = 20
/** Tokens of the prompt for a model without tools. */
const SMALL_PROMPT = 1_500

/** What the user said, and the conversation that the model gets, without the tail. */
interface ReadTurn {
  said: Said
  messages: readonly HostMessage[]
}

/** What both kinds of a turn know before they write its prompt. */
interface Turn {
  found: MessageMatches
  effects: LibraryEffects
  limits: MatchLimits
}

/** The parts of a prompt that depend on the kind of the model. */
type Prompt = Pick<PreparedTurn, 'system' | 'tail' | 'loaded'>

const TURN = {
  message: 1,
  history: 1,
  messages: 1,
  files: 1,
  url: 1,
} satisfies OptionNames<PrepareTurn>
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
  const given: PrepareTurn = typeof turn === 'string' ? { message: turn } : (turn ?? {})
  checkOptionNames(given, TURN)
  const { files, url } = given
  if (tools !== undefined && tools !== 'none') {
    throw invalidInput(`"tools" must be 'none', not ${JSON.stringify(tools)}`)
  }
  conversation.withoutTools = tools === 'none'
  conversation.place = { ...(files && { files }), ...(url !== undefined && { url }) }
  const { said, messages } = readTurn(conversation, given)
  said.earlier = withHeard(conversation, said.earlier)
  const last = said.isContinued ? conversation.turn : undefined
  const isSameTurn = last !== undefined && last.message === said.message
  if (!isSameTurn) await learning?.startTurn()
  const effects = rememberEffects(conversation, await followLibrary(conversation, limits.signal), {
    isTailKept: given.messages === undefined,
    changed: isSameTurn ? last.changed : [],
  })
  nameManualSkills(conversation, said.message)
  const { revision } = conversation.library.snapshot
  const found =
    isSameTurn && last.revision === revision
      ? withoutOpen(conversation, last.found)
      : await matchMessage(session, said, limits)
  const heard = [...said.earlier, said.message].filter(message => message !== '')
  if (!isSameTurn) conversation.heard = heard.slice(-HEARD_MESSAGES)
  conversation.turn = {
    message: said.message,
    revision,
    found,
    changed: effects.changed.map(({ skill }) => skill.id),
  }
  const prompt = conversation.withoutTools
    ? await promptWithoutTools(conversation, { found, effects, limits }, maxTokens)
    : await promptWithTools(conversation, { found, effects, limits })
  const { matches, maybe } = found
  if (!isSameTurn && said.message !== '') learning?.hear(said.message, isFollowUp(said), found)
  return {
    ...prompt,
    status: matches.length > 0 ? 'match' : maybe.length > 0 ? 'maybe' : 'none',
    matches,
    maybe,
    closed: effects.closed.map(({ skill }) => skill.id),
    messages: withText(messages, prompt.tail),
  }
}

/** Reads the conversation of a turn, and gives it to the session. */
function readTurn(
  conversation: Conversation,
  { message, history, messages }: PrepareTurn,
): ReadTurn {
  if ((message === undefined) === (messages === undefined)) {
    throw invalidInput(
      'A turn needs either "messages" or "message"',
      'pass { messages }, with the message of the user at its end',
    )
  }
  if (messages) {
    observe(conversation, messages)
    return { said: saidLast(conversation.messages), messages }
  }
  if (typeof message !== 'string') throw invalidInput('"message" must be a string')
  if (history) observe(conversation, history, 'history')
  const before: readonly HostMessage[] = history ?? conversation.messages
  const own = { role: 'user', content: message } as const
  const { pasted, message: words } = saidLast([own])
  const said = {
    message: words,
    pasted,
    earlier: saidIn(conversation.messages),
    isContinued: false,
  }
  return { said, messages: [...before, own] }
}

/** What was found at the step before, without uncertain skills that were opened since. */
function withoutOpen({ open }: Conversation, found: MessageMatches): MessageMatches {
  return { ...found, maybe: found.maybe.filter(({ id }) => open.get(id) === undefined) }
}

/** What the user said before, with the messages before it that the conversation has lost. */
function withHeard({ heard, messages }: Conversation, earlier: string[]): string[] {
  // The host may have gone back to an earlier message, after which nothing was said.
  const first = earlier.map(one => heard.lastIndexOf(one)).find(index => index >= 0)
  if (first !== undefined) return [...heard.slice(0, first), ...earlier]
  const isAnswered = messages.some(({ role }) => role !== 'user')
  return isAnswered ? [...heard, ...earlier] : earlier
}

/**
 * A tail that is not kept in the conversation repeats what still counts: which instructions no longer apply, and in each step of a turn the
 * new ones.
 */
function rememberEffects(
  conversation: Conversation,
  effects: LibraryEffects,
  { isTailKept, changed: changedBefore }: { isTailKept: boolean; changed: readonly SkillId[] },
): LibraryEffects {
  const { open, messages } = conversation
  const entries = open.entries()
  const isOpen = ({ skill }: LibraryEffects['closed'][number]): boolean =>
    entries.some(one => one.skill.id === skill.id)
  const kept = conversation.outdated.filter(
    entry => !isOpen(entry) && isVisible(conversation, entry, messages),
  )
  const outdated = [...(isTailKept ? [] : kept), ...effects.outdated]
  conversation.outdated = outdated
  const isRepeated = (entry: LibraryEffects['closed'][number]): boolean =>
    changedBefore.includes(entry.skill.id) && !isVisible(conversation, entry, messages)
  const changed = entries.filter(entry => effects.changed.includes(entry) || isRepeated(entry))
  // The tail has their instructions.
  for (const { skill } of changed) {
    const record = open.get(skill.id)
    if (record) record.heldBy = 'model'
  }
  return { closed: effects.closed, outdated, changed }
}

/** Lets the model open the manual skills that a message of the user names. */
function nameManualSkills({ library, offerOf, named }: Conversation, message: string): void {
  for (const skill of library.snapshot.skills) {
    if (offerOf(skill) !== 'manual') continue
    if (isMentioned(skill, [{ role: 'user', content: message }])) named.add(skill.id)
  }
}

/** The catalog and the skills for the message. With the option `auto`, the first match is opened. */
async function promptWithTools(conversation: Conversation, turn: Turn): Promise<Prompt> {
  const { session, dialect, auto } = conversation
  const [best] = turn.found.matches
  const opened = best && auto ? await openMatch(conversation, best.id, turn.limits) : undefined
  const loaded = opened === undefined ? [] : [opened]
  const tail = await tailWithTools(conversation, turn, loaded)
  const system = [
    dialect.catalog(session),
    dialect.sections?.(session, { skills: session.open, references: session.open }),
  ]
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
  const text = await tailWithoutTools(conversation, { effects, best: best?.id, maxTokens, signal })
  return { system: '', tail: markOwnText(text), loaded: opened === undefined ? [] : [opened] }
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
  const { element, rows } = await tailRows(conversation, found, limits)
  return [rankedSection(element, rows, library.snapshot.skills, countTokens), ...instructions]
    .filter(Boolean)
    .map(markOwnText)
    .join('\n')
}
