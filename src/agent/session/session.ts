import { checkOptionNames, type OptionNames } from '../../core/text/option-names.js'
import type { SkillLibrary } from '../../library/api/skill-library.js'
import { allowedTools, approvesCall, limitsOf, offeredTools, toolName } from './allowed-tools.js'
import { countContext, freeTokens } from './context.js'
import { type Conversation, createConversation } from './conversation.js'
import { contentsOf, observe, restoreInstructions } from './instructions.js'
import { load, loadReference, read, unload } from './load.js'
import type { HostMessage } from './messages.js'
import { offeredSkills } from './offered.js'
import type { SessionState } from './open-skills.js'
import type { SessionOptions } from './options.js'
import { prepare } from './prepare.js'
import type { PreparedTurn, RehydrateResult } from './prompt.js'
import { withoutSkills } from './skill-content.js'
import type { SkillTool } from './tool-types.js'
import type { PrepareOptions, PrepareTurn, Session } from './types.js'

/**
 * Creates a session: the skills that one conversation has open.
 * @throws SkillshelfError `invalid-input` if an option has a wrong type, or a number is negative
 * @example
 * ```ts
 * import { openLibrary } from 'skillshelf'
 * import { callTool, createSession } from 'skillshelf/session'
 *
 * const library = await openLibrary('/skills/')
 * const session = createSession(library, { contextTokens: 200_000 })
 * const history = [{ role: 'user', content: 'Check this invoice before I pay it' }]
 * const { system, messages } = await session.prepare({ messages: history })
 * const { text } = await callTool(session, 'load_skill', { skill: 'invoice-check' })
 * ```
 */
export function createSession(library: SkillLibrary, options: SessionOptions = {}): Session {
  return openConversation(library, options).session
}

/** As `createSession`, with the state of the session. */
export function openConversation(library: SkillLibrary, options: SessionOptions): Conversation {
  return createConversation(library, options, sessionOver)
}

const LOAD = { signal: 1, by: 1 } satisfies OptionNames<NonNullable<Parameters<Session['load']>[1]>>

/** The session over a state. */
function sessionOver(conversation: Conversation): Session {
  const { library, dialect, countTokens, catalogTokens, sections, open, activities } = conversation

  function prune<Tool>(tools: readonly Tool[], nameOf?: (tool: Tool) => string): Tool[]
  function prune<Tool>(tools: Readonly<Record<string, Tool>>): Record<string, Tool>
  function prune<Tool>(
    tools: readonly Tool[] | Readonly<Record<string, Tool>>,
    nameOf: (tool: Tool) => string = toolName,
  ): Tool[] | Record<string, Tool> {
    const isOffered = offeredTools(open.entries())
    const stays = (name: string): boolean => dialect.toolNames.includes(name) || isOffered(name)
    return activities.run<Tool[] | Record<string, Tool>>(
      { type: 'prune' },
      () =>
        Array.isArray(tools)
          ? tools.filter(tool => stays(nameOf(tool)))
          : Object.fromEntries(Object.entries(tools).filter(([name]) => stays(name))),
      left => ({ tools: Array.isArray(left) ? left.map(nameOf) : Object.keys(left) }),
    )
  }

  const session: Session = {
    library,
    on: activities.on,
    dialect,
    countTokens,
    catalogTokens,
    sections,
    get offered() {
      return offeredSkills(conversation)
    },
    get preferred() {
      const pinned = library.snapshot.skills.filter(
        skill => conversation.offerOf(skill) === 'pinned',
      )
      return [...pinned, ...open.entries().map(({ skill }) => skill)].map(({ id }) => id)
    },
    get open() {
      return open.entries()
    },
    get latest() {
      return conversation.latest === undefined ? undefined : open.get(conversation.latest)?.entry
    },
    get messages() {
      return conversation.messages
    },
    get place() {
      return conversation.place
    },
    observe: messages => observe(conversation, messages),
    async load(name, options) {
      checkOptionNames(options, LOAD)
      return load(conversation, name, options)
    },
    async loadReference(name, path, options) {
      checkOptionNames(options, LOAD)
      return loadReference(conversation, name, path, options)
    },
    unload: name => unload(conversation, name),
    async read(name, path, options) {
      checkOptionNames(options, LOAD)
      return read(conversation, name, path, options)
    },
    prepare: <Message extends HostMessage>(
      turn: string | PrepareTurn<Message>,
      options?: PrepareOptions,
    ) => prepare(conversation, turn, options) as Promise<PreparedTurn<Message>>,
    tools: () =>
      session.offered.length === 0 && !dialect.keepsTools
        ? []
        : dialect.tools(session).map(tool => reportedTool(conversation, tool)),
    prune,
    permits: (tool, argument) =>
      dialect.toolNames.includes(tool) ||
      approvesCall(allowedTools(open.entries()), tool, argument),
    limits: () => limitsOf(open.entries(), dialect.limits),
    ledger: () => countContext(conversation),
    toJSON: () => stateOf(conversation),
    rehydrate: messages => rehydrate(conversation, messages),
  }
  return session
}

/** Implements `Session.toJSON`. */
function stateOf({ open }: Conversation): SessionState {
  return {
    format: 'skillshelf-session/1',
    open: open.entries().map(({ skill, references }) => ({
      id: skill.id,
      digest: skill.digest,
      references: references.map(({ path }) => path),
    })),
  }
}

/** Implements `Session.rehydrate`. */
function rehydrate(conversation: Conversation, messages: readonly HostMessage[]): RehydrateResult {
  const { activities, countTokens } = conversation
  return activities.run(
    { type: 'rehydrate' },
    () => {
      observe(conversation, messages)
      return restoreInstructions(conversation, freeTokens(conversation))
    },
    ({ missing, text }) => ({ skills: missing, tokens: countTokens(text) }),
  )
}

/** Reports the calls of a tool, and counts their results until the next `observe`. */
function reportedTool(conversation: Conversation, tool: SkillTool): SkillTool {
  const { activities, countTokens, open } = conversation
  const execute: SkillTool['execute'] = (...args) =>
    activities.run(
      { type: 'tool', tool: tool.name },
      async () => {
        const result = await tool.execute(...args)
        conversation.addedTokens += countTokens(
          withoutSkills(result.text, contentsOf(conversation, open.entries())),
        )
        return result
      },
      ({ text, isError }) => ({
        tokens: countTokens(text),
        ...(isError ? { error: 'tool-error' } : {}),
      }),
    )
  return {
    ...tool,
    get description() {
      return tool.description
    },
    execute,
  }
}
