import { createLookup } from '../catalog/lookup.js'
import { SkillshelfError } from '../core/errors.js'
import type { SkillLibrary } from '../library/types.js'
import type { SkillId } from '../skill/types.js'
import { allowedTools, allowsCall, allowsTool, limitsOf, toolName } from './allowed-tools.js'
import { compactMessages, isMentioned } from './compaction.js'
import { ledgerOf } from './ledger.js'
import { normalizeMessages, type SessionMessage } from './messages.js'
import { resolveOptions } from './options.js'
import { createPermissionCheck, nestedSkillOf } from './permissions.js'
import { prepareTurn } from './prepare.js'
import { containsSkill, type SkillContent, withoutSkills } from './prompt/skill-content.js'
import { missingInstructions } from './rehydrate.js'
import type { LoadReferenceResult, OpenSkill, Session, SessionOptions } from './types.js'

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
  return createSessionWith(library, options, new Set())
}

/**
 * As `createSession`, with shared state for `restoreSession`.
 * @param seen Ids of open skills whose instructions have been in the messages. The session changes this set.
 */
export function createSessionWith(library: SkillLibrary, options: SessionOptions, seen: Set<SkillId>): Session {
  const { contextTokens, catalogTokens, countTokens, dialect, budgets, systemTokens } = resolveOptions(library, options)
  const checkPermission = createPermissionCheck(options)
  const open = new Map<SkillId, OpenSkill>()
  /** Ids of open skills whose instructions were in the messages and no longer are. */
  const missing = new Set<SkillId>()
  let latest: SkillId | undefined
  let messages: readonly SessionMessage[] = []
  let catalog = { key: '', tokens: 0 }

  /** The catalog depends on the revision and the open skills only. */
  const countCatalog = (): number => {
    const key = [library.snapshot.revision, ...open.keys()].join('\n')
    if (catalog.key !== key) catalog = { key, tokens: countTokens(dialect.catalog(session)) }
    return catalog.tokens
  }
  const limit = contextTokens * budgets.share
  const fits = (tokens: number): boolean => session.ledger().total + tokens < limit

  const close = (id: SkillId): OpenSkill | undefined => {
    const closed = open.get(id)
    open.delete(id)
    missing.delete(id)
    seen.delete(id)
    return closed
  }

  const contentOf = (entry: OpenSkill): SkillContent => ({
    skill: entry.skill,
    toolResult: dialect.placement === 'result' ? dialect.skillText(session, entry) : '',
  })

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
    for (const entry of [...open.values()]) {
      const { skill } = entry
      if (fits(tokens)) break
      if (skill.id === keep || isMentioned(skill, messages)) continue
      close(skill.id)
      removeFromMessages(entry)
      unloaded.push(skill.id)
    }
    return unloaded
  }

  const shortenMessages = async (tokens: number, signal: AbortSignal | undefined): Promise<void> => {
    const need = Math.ceil(session.ledger().total + tokens - limit) + 1
    const before = messages
    const shorter = options.compact
      ? await options.compact(messages, { tokens: need, signal })
      : compactMessages(messages, need, countTokens)
    // Messages observed while `compact` ran are newer than its result.
    if (messages === before) session.observe(shorter)
  }

  const tooLarge = (problem: string, figures: Record<string, number>): SkillshelfError =>
    new SkillshelfError('too-large', `${problem}: ${formatFigures(figures)}`, {
      figures,
      hint: 'unload a skill, or start a new conversation',
    })

  const assertFits = (subject: string, tokens: number, unloaded: readonly SkillId[]): void => {
    if (fits(tokens)) return
    const { total, percent } = session.ledger()
    throw tooLarge(`${subject} does not fit into the context`, {
      needed: tokens,
      used: total,
      percent,
      limit: Math.floor(limit),
      context: contextTokens,
      unloaded: unloaded.length,
    })
  }

  const session: Session = {
    library,
    dialect,
    countTokens,
    catalogTokens,
    get offered() {
      return library.snapshot.skills.filter(skill => !skill.disableModelInvocation && !dialect.excludes?.(skill))
    },
    get open() {
      return [...open.values()]
    },
    get latest() {
      return latest === undefined ? undefined : open.get(latest)
    },
    get messages() {
      return messages
    },
    observe(conversation) {
      messages = normalizeMessages(conversation)
      for (const entry of open.values()) {
        const { skill } = entry
        const text = dialect.skillText(session, entry)
        if (messages.some(({ content }) => containsSkill(content, skill) || content.includes(text))) {
          seen.add(skill.id)
          missing.delete(skill.id)
        } else if (dialect.placement === 'result' && seen.has(skill.id)) missing.add(skill.id)
      }
    },
    async load(name, { by = 'host', signal } = {}) {
      const skill = await library.get(name, { signal })
      await checkPermission({ kind: 'skill', skill, by })
      const current = open.get(skill.id)
      if (current?.skill.digest === skill.digest && !missing.has(skill.id)) {
        latest = skill.id
        return { skill, status: 'already-loaded', tokens: current.tokens, unloaded: [] }
      }
      const tokens = countTokens(skill.instructions)
      if (tokens >= budgets.skill)
        throw tooLarge(`${skill.name} exceeds the skill budget`, { skill: tokens, budget: budgets.skill })
      const [wasSeen, wasMissing] = [seen.has(skill.id), missing.has(skill.id)]
      const previous = current ? close(skill.id) : undefined
      try {
        const unloaded = unloadUnused(tokens, skill.id)
        if (!fits(tokens) && options.compact) await shortenMessages(tokens, signal)
        assertFits(skill.name, tokens, unloaded)
        open.set(skill.id, { skill, tokens, references: previous?.references ?? [] })
        latest = skill.id
        return { skill, status: 'loaded', tokens, unloaded }
      } catch (error) {
        if (previous) open.set(skill.id, previous)
        if (previous && wasSeen) seen.add(skill.id)
        if (previous && wasMissing) missing.add(skill.id)
        throw error
      }
    },
    async loadReference(name, path, { by = 'host', signal } = {}) {
      const id = findOpen(open, name)
      const file = await session.read(id, path, { by, signal })
      /** Reads the state after each await: meanwhile the skill can be closed, or the same file added. */
      const current = (unloaded: readonly SkillId[]): { entry: OpenSkill; existing?: LoadReferenceResult } => {
        const entry = open.get(findOpen(open, id)) as OpenSkill
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
      open.set(id, { ...entry, references: [...entry.references, { path: file.path, tokens, text: file.text }] })
      return { skill, file, status: 'loaded', tokens, unloaded }
    },
    unload(name) {
      try {
        return close(findOpen(open, name))
      } catch {
        return undefined
      }
    },
    async read(name, path, { by = 'host', signal } = {}) {
      const file = await library.read(name, path, { signal })
      const skill = library.snapshot.skills.find(({ id }) => id === file.skill) ?? (await library.get(file.skill))
      await checkPermission({ kind: 'file', skill, path: file.path, by }, open.has(skill.id))
      const nested = nestedSkillOf(library, skill, file.path)
      if (nested) await checkPermission({ kind: 'file', ...nested, by }, open.has(nested.skill.id))
      return file
    },
    prepare: (turn, prepareOptions = {}) =>
      prepareTurn(session, typeof turn === 'string' ? { message: turn } : turn, {
        ...prepareOptions,
        auto: options.auto ?? false,
      }),
    tools: () => (session.offered.length === 0 ? [] : dialect.tools(session)),
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
    limits: () => limitsOf(session.open),
    ledger: () =>
      ledgerOf(
        {
          system: systemTokens(),
          catalog: { tokens: countCatalog(), skills: session.offered.length },
          open: session.open,
          contents: session.open.map(contentOf),
          messages,
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
      const entries = session.open.filter(({ skill }) => missing.has(skill.id))
      const { result, complete } = missingInstructions(session, entries, limit - session.ledger().total)
      // The host adds them to the conversation now, so they count as visible until the next `observe`.
      for (const id of complete) missing.delete(id)
      return result
    },
  }
  return session
}

/** @throws SkillshelfError `not-loaded` */
function findOpen(open: ReadonlyMap<SkillId, OpenSkill>, name: string): SkillId {
  const skills = [...open.values()].map(({ skill }) => skill)
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
