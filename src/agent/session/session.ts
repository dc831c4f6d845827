import type { AbortOptions } from '../../core/abort.js'
import { SkillshelfError } from '../../core/errors.js'
import { createLookup } from '../../library/catalog/lookup.js'
import type { SkillLibrary } from '../../library/types.js'
import type { SkillId } from '../../skill/types.js'
import { createActivities, reportActivities } from './activity.js'
import { allowedTools, allowsCall, allowsTool, limitsOf, toolName } from './allowed-tools.js'
import { compactMessages, isMentioned } from './compaction.js'
import { followLibrary } from './follow-library.js'
import { createSessionLearning } from './learning.js'
import { ledgerOf } from './ledger.js'
import { normalizeMessages, type SessionMessage } from './messages.js'
import { createOpenSkills, type OpenRecord, type OpenSkills } from './open-skills.js'
import { resolveOptions } from './options.js'
import { createPermissionCheck, nestedSkillOf } from './permissions.js'
import { isFollowUp, type LibraryEffects, prepareTurn } from './prepare.js'
import { prepareWithoutTools } from './prepare-without-tools.js'
import { containsSkill, type SkillContent, withoutSkills } from './prompt/skill-content.js'
import { missingInstructions } from './rehydrate.js'
import type {
  LoadReferenceResult,
  LoadResult,
  OpenSkill,
  Requester,
  Session,
  SessionOptions,
  SkillTool,
} from './types.js'

/** Tokens of the prompt for a model without tools. */
const SMALL_PROMPT = 1_500

/**
 * Creates a session: the skills that one conversation has open.
 *
 * @param library An open library.
 * @param options Context size, budgets, dialect and permissions.
 * @returns A session without open skills.
 * @throws SkillshelfError `invalid-input` if an option has a wrong type, or a number is negative
 * @example
 * ```ts
 * import { openLibrary } from 'skillshelf'
 * import { callTool, createSession } from 'skillshelf/session'
 *
 * const library = await openLibrary('/skills/')
 * const session = createSession(library, { contextTokens: 200_000 })
 * const { system, tail } = await session.prepare('Check this invoice before I pay it')
 * const { text } = await callTool(session, 'load_skill', { skill: 'invoice-check' })
 * ```
 */
export function createSession(library: SkillLibrary, options: SessionOptions = {}): Session {
  return createSessionWith(library, options).session
}

/** As `createSession`, with the open skills for `restoreSession`. */
export function createSessionWith(
  library: SkillLibrary,
  options: SessionOptions,
): { session: Session; open: OpenSkills } {
  const { contextTokens, catalogTokens, countTokens, dialect, budgets, systemTokens } = resolveOptions(library, options)
  const checkPermission = createPermissionCheck(options)
  const open = createOpenSkills(library)
  const activities = createActivities()
  const learning = options.learn ? createSessionLearning(library) : undefined
  /** Revision of the library that the open skills were compared with. */
  let followedRevision = library.snapshot.revision
  let latest: SkillId | undefined
  let messages: readonly SessionMessage[] = []
  let isObserved = false
  /** Tokens of tool results since the last `observe`. */
  let addedTokens = 0
  let catalog = { key: '', tokens: 0 }
  /** Whether the last `prepare` was for a model without tools, which gets no catalog. */
  let withoutTools = false

  /** The catalog depends on the revision and the open skills only. */
  const countCatalog = (): number => {
    if (withoutTools) return 0
    const key = [library.snapshot.revision, ...session.open.map(({ skill }) => skill.id)].join('\n')
    if (catalog.key !== key) catalog = { key, tokens: countTokens(dialect.catalog(session)) }
    return catalog.tokens
  }
  const limit = contextTokens * budgets.share
  /** Without `observe`, nobody removes old tool results from the count, so they do not count against the limit. */
  const usedTokens = (): number => session.ledger().total - (isObserved ? 0 : addedTokens)
  const fits = (tokens: number): boolean => usedTokens() + tokens < limit

  const contentOf = (entry: OpenSkill): SkillContent => ({
    skill: entry.skill,
    toolResult: dialect.placement === 'result' ? dialect.skillText(session, entry) : '',
  })

  const isVisible = (entry: OpenSkill, conversation: readonly SessionMessage[]): boolean => {
    const text = dialect.skillText(session, entry)
    return conversation.some(({ content }) => containsSkill(content, entry.skill) || content.includes(text))
  }

  /** Whether the requester already has the instructions of an open skill. */
  const isHeld = ({ heldBy }: OpenRecord, by: Requester): boolean =>
    dialect.placement === 'section' || heldBy === 'model' || (heldBy === 'host' && by !== 'model')

  /** Closing a skill frees tokens only if its instructions leave the messages too. */
  const removeFromMessages = (entry: OpenSkill): void => {
    if (dialect.placement !== 'result') return
    const reminder = dialect.reminder(entry.skill)
    messages = messages.map(message => ({
      ...message,
      content: withoutSkills(message.content, [contentOf(entry)], reminder),
    }))
  }

  /** Unloads skills that recent messages do not mention, until `tokens` fit. */
  const unloadUnused = (tokens: number, keep: SkillId): SkillId[] => {
    const unloaded: SkillId[] = []
    for (const entry of session.open) {
      const { skill } = entry
      if (fits(tokens)) break
      if (skill.id === keep || isMentioned(skill, messages)) continue
      open.close(skill.id)
      removeFromMessages(entry)
      unloaded.push(skill.id)
    }
    return unloaded
  }

  const shortenMessages = async (tokens: number, signal: AbortSignal | undefined): Promise<void> => {
    const need = Math.ceil(usedTokens() + tokens - limit) + 1
    const before = messages
    const shorter = options.compact
      ? await options.compact(messages, { tokens: need, signal })
      : compactMessages(messages, need, countTokens)
    // Messages observed while `compact` ran are newer than its result.
    if (messages !== before) return
    messages = normalizeMessages(shorter)
    // Instructions that a tool has just returned are not in these messages yet.
    for (const record of open.records())
      if (isVisible(record.entry, before) && !isVisible(record.entry, messages)) record.heldBy = undefined
  }

  const tooLarge = (problem: string, figures: Record<string, number>, hint: string): SkillshelfError =>
    new SkillshelfError('too-large', `${problem}: ${formatFigures(figures)}`, { figures, hint })

  const assertFits = (subject: string, tokens: number, unloaded: readonly SkillId[]): void => {
    if (fits(tokens)) return
    const { percent } = session.ledger()
    const figures = {
      needed: tokens,
      used: usedTokens(),
      percent,
      limit: Math.floor(limit),
      context: contextTokens,
      unloaded: unloaded.length,
    }
    throw tooLarge(`${subject} does not fit into the context`, figures, 'unload a skill, or start a new conversation')
  }

  /** Compares the open skills with the library if it has changed. Returns the skills that it closed and changed. */
  const followChanges = async (signal: AbortSignal | undefined): Promise<LibraryEffects> => {
    const { revision } = library.snapshot
    let changed: readonly SkillId[] = []
    if (revision !== followedRevision) {
      const before = latest
      const result = await followLibrary(session, open, { signal })
      latest = before
      changed = result.changed
      // `prepare` repeats their instructions.
      for (const id of changed) {
        const record = open.get(id)
        if (record) record.heldBy = 'model'
      }
      if (result.isComplete) followedRevision = revision
    }
    const closed = open.takeGone()
    return {
      closed: closed.map(({ entry }) => entry),
      outdated: closed.filter(({ heldBy }) => heldBy !== undefined).map(({ entry }) => entry),
      changed: session.open.filter(({ skill }) => changed.includes(skill.id)),
    }
  }

  /** Open skills whose instructions are not in the conversation. */
  const findLost = (): OpenSkill[] =>
    dialect.placement === 'section'
      ? []
      : open
          .records()
          .filter(({ heldBy }) => heldBy === undefined)
          .map(({ entry }) => entry)

  /** Counts the results of a tool until the next `observe`. */
  const counted = (tool: SkillTool): SkillTool =>
    Object.defineProperties({} as SkillTool, {
      // Keeps the getter of the description.
      ...Object.getOwnPropertyDescriptors(tool),
      execute: {
        enumerable: true,
        value: (...args: Parameters<SkillTool['execute']>) =>
          activities.run(
            { type: 'tool', tool: tool.name },
            async () => {
              const result = await tool.execute(...args)
              addedTokens += countTokens(withoutSkills(result.text, session.open.map(contentOf)))
              return result
            },
            ({ text, isError }) => ({ tokens: countTokens(text), ...(isError ? { error: 'tool-error' } : {}) }),
          ),
      },
    })

  /** `maxTokens`: the host shows the model no more of the instructions than this. */
  const loadSkill = async (
    name: string,
    {
      by = 'host',
      signal,
      maxTokens = Number.POSITIVE_INFINITY,
    }: AbortOptions & { by?: Requester | undefined; maxTokens?: number } = {},
  ): Promise<LoadResult> => {
    const skill = await library.get(name, { signal })
    await checkPermission({ kind: 'skill', skill, by })
    const previous = open.get(skill.id)
    if (previous?.entry.skill.digest === skill.digest && isHeld(previous, by)) {
      latest = skill.id
      return { skill, status: 'already-loaded', tokens: previous.entry.tokens, unloaded: [] }
    }
    const tokens = Math.min(countTokens(skill.instructions), maxTokens)
    if (tokens >= budgets.skill)
      throw tooLarge(
        `${skill.name} exceeds the skill budget`,
        { skill: tokens, budget: budgets.skill },
        'raise `budgets.skill` of createSession, or shorten the skill',
      )
    open.close(skill.id)
    try {
      const unloaded = unloadUnused(tokens, skill.id)
      if (!fits(tokens) && options.compact) await shortenMessages(tokens, signal)
      assertFits(skill.name, tokens, unloaded)
      open.set({
        entry: { skill, tokens, references: previous?.entry.references ?? [] },
        by: previous?.by ?? by,
        heldBy: by === 'model' ? 'model' : 'host',
      })
      latest = skill.id
      if (by === 'model' && !previous) await learning?.opened(skill.id)
      return { skill, status: 'loaded', tokens, unloaded }
    } catch (error) {
      if (previous) open.set(previous)
      throw error
    }
  }

  const session: Session = {
    library,
    on: activities.on,
    dialect,
    countTokens,
    catalogTokens,
    get offered() {
      return library.snapshot.skills.filter(skill => !skill.disableModelInvocation && !dialect.excludes?.(skill))
    },
    get open() {
      return open.records().map(({ entry }) => entry)
    },
    get latest() {
      return latest === undefined ? undefined : open.get(latest)?.entry
    },
    get messages() {
      return messages
    },
    observe(conversation) {
      messages = normalizeMessages(conversation)
      isObserved = true
      addedTokens = 0
      for (const record of open.records()) record.heldBy = isVisible(record.entry, messages) ? 'model' : undefined
    },
    load: (name, options) => loadSkill(name, options),
    async loadReference(name, path, { by = 'host', signal } = {}) {
      const id = findOpen(session.open, name)
      const file = await session.read(id, path, { by, signal })
      /** Reads the state after each await: meanwhile the skill can be closed, or the same file added. */
      const current = (unloaded: readonly SkillId[]): { entry: OpenSkill; existing?: LoadReferenceResult } => {
        const { entry } = open.get(findOpen(session.open, id)) as OpenRecord
        const reference = entry.references.find(({ path }) => path === file.path)
        if (!reference) return { entry }
        const { tokens } = reference
        return { entry, existing: { skill: entry.skill, file, status: 'already-loaded', tokens, unloaded } }
      }
      const before = current([])
      if (before.existing) return before.existing
      const { skill } = before.entry
      if (file.text === undefined)
        throw new SkillshelfError('unsupported', `${file.path} of ${skill.name} is not text`, { subject: file.path })
      const tokens = countTokens(file.text)
      const unloaded = unloadUnused(tokens, id)
      if (!fits(tokens)) await shortenMessages(tokens, signal)
      const { entry, existing } = current(unloaded)
      if (existing) return existing
      assertFits(`${file.path} of ${skill.name}`, tokens, unloaded)
      open.replace({ ...entry, references: [...entry.references, { path: file.path, tokens, text: file.text }] })
      return { skill, file, status: 'loaded', tokens, unloaded }
    },
    unload(name) {
      try {
        return open.close(findOpen(session.open, name))?.entry
      } catch {
        return undefined
      }
    },
    async read(name, path, { by = 'host', signal } = {}) {
      const file = await library.read(name, path, { signal })
      const skill = library.snapshot.skills.find(({ id }) => id === file.skill) ?? (await library.get(file.skill))
      await checkPermission({ kind: 'file', skill, path: file.path, by }, open.get(skill.id) !== undefined)
      const nested = nestedSkillOf(library, skill, file.path)
      if (nested) await checkPermission({ kind: 'file', ...nested, by }, open.get(nested.skill.id) !== undefined)
      return file
    },
    async prepare(turn, prepareOptions = {}) {
      const { message, history } = typeof turn === 'string' ? { message: turn, history: undefined } : turn
      const { tools, maxTokens = Math.min(SMALL_PROMPT, Math.floor(limit / 2)), ...limits } = prepareOptions
      if (tools !== undefined && tools !== 'none')
        throw new SkillshelfError('invalid-input', `"tools" must be 'none', not ${JSON.stringify(tools)}`)
      learning?.startTurn()
      withoutTools = tools === 'none'
      const prepared = withoutTools
        ? await prepareWithoutTools(
            session,
            { message, history },
            {
              ...limits,
              maxTokens,
              followChanges,
              openedByModel: () => open.records().flatMap(({ entry, by }) => (by === 'model' ? [entry.skill.id] : [])),
              openShortened: async (id, maxTokens) => {
                await (session.load as typeof loadSkill)(id, { by: 'model', signal: limits.signal, maxTokens })
              },
              replace: open.replace,
            },
          )
        : await prepareTurn(
            session,
            { message, history },
            { ...limits, auto: options.auto ?? false, followChanges, findLost },
          )
      learning?.hear(message, isFollowUp(message, messages))
      return prepared
    },
    tools: () => (session.offered.length === 0 ? [] : dialect.tools(session).map(counted)),
    prune: <Tool>(
      tools: readonly Tool[] | Readonly<Record<string, Tool>>,
      nameOf: (tool: Tool) => string = toolName,
    ) => {
      const allowed = allowedTools(session.open)
      const stays = (name: string): boolean => dialect.toolNames.includes(name) || allowsTool(allowed, name)
      if (Array.isArray(tools)) return tools.filter(tool => stays(nameOf(tool)))
      return Object.fromEntries(Object.entries(tools).filter(([name]) => stays(name))) as never
    },
    permits: (tool, argument) =>
      dialect.toolNames.includes(tool) || allowsCall(allowedTools(session.open), tool, argument),
    limits: () => limitsOf(session.open, dialect.limits),
    ledger: () =>
      ledgerOf(
        {
          system: systemTokens(),
          catalog: { tokens: countCatalog(), skills: session.offered.length },
          open: session.open,
          contents: session.open.map(contentOf),
          messages,
          addedTokens,
        },
        { budgets, contextTokens, countTokens },
      ),
    toJSON: () => ({
      format: 'skillshelf-session/1',
      open: session.open.map(({ skill, references }) => ({
        id: skill.id,
        digest: skill.digest,
        references: references.map(({ path }) => path),
      })),
    }),
    rehydrate(conversation) {
      session.observe(conversation)
      const { result, complete } = missingInstructions(session, findLost(), limit - usedTokens())
      // The host adds them to the conversation now, so they count as visible until the next `observe`.
      for (const record of open.records()) if (complete.includes(record.entry.skill.id)) record.heldBy = 'model'
      return result
    },
  }
  reportActivities(session, activities)
  return { session, open }
}

/** @throws SkillshelfError `not-loaded` */
function findOpen(open: readonly OpenSkill[], name: string): SkillId {
  const skills = open.map(({ skill }) => skill)
  try {
    return createLookup(skills, new Map()).find(name).id
  } catch (error) {
    throw new SkillshelfError(
      'not-loaded',
      `${name} is not open`,
      { subject: name, candidates: skills.map(skill => skill.name), hint: 'load it first' },
      error,
    )
  }
}

function formatFigures(figures: Record<string, number>): string {
  return Object.entries(figures)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')
}
