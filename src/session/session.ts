import { createLookup } from '../catalog/lookup.js'
import type { SkillLibrary } from '../library/types.js'
import { SkillshelfError } from '../skill/error.js'
import { estimateTokens } from '../skill/tokens.js'
import type { SkillId } from '../skill/types.js'
import { ownDialect } from '../tools/own.js'
import { allowedBy, allowsCall, leavesTool, limitsOf } from './action-space.js'
import { ledgerOf } from './ledger.js'
import { permissionOf } from './permission.js'
import { prepareTurn } from './prepare.js'
import { rehydrated } from './rehydrate.js'
import { compactMessages, isNamed } from './room.js'
import { holdsOpened } from './tags.js'
import type { Budgets, OpenSkill, Restored, Session, SessionMessage, SessionOptions, SessionState } from './types.js'

const CONTEXT_TOKENS = 128_000
const CATALOG_TOKENS = 2_000
const BUDGETS: Budgets = {
  skill: 8_000,
  share: 0.9,
  system: 2_000,
  metadata: 100,
  instructions: 5_000,
  reference: 3_000,
}

/** Starts a conversation over a library. @throws SkillshelfError `invalid-input` for figures that are none */
export function createSession(library: SkillLibrary, options: SessionOptions = {}): Session {
  const {
    contextTokens = CONTEXT_TOKENS,
    catalogTokens = CATALOG_TOKENS,
    countTokens = estimateTokens,
    dialect = ownDialect,
    system = 0,
  } = options
  const budgets = { ...BUDGETS, ...options.budgets }
  checkFigures({ contextTokens, catalogTokens, ...budgets })
  const mayHave = permissionOf(options)
  const open = new Map<SkillId, OpenSkill>()
  /** Open skills whose instructions the messages held once, and hold no more. */
  const fallen = new Set<SkillId>()
  const seen = new Set<SkillId>()
  let latest: SkillId | undefined
  let messages: readonly SessionMessage[] = []
  let catalog = { of: '', tokens: 0 }

  /** Counted anew when the catalog or what is open changes. */
  const catalogTokensNow = (): number => {
    const of = [library.snapshot.revision, ...open.keys()].join('\n')
    if (catalog.of !== of) catalog = { of, tokens: countTokens(dialect.catalog(session)) }
    return catalog.tokens
  }
  const limit = contextTokens * budgets.share
  const fits = (tokens: number): boolean => session.ledger().total + tokens < limit

  const drop = (id: SkillId): OpenSkill | undefined => {
    const one = open.get(id)
    open.delete(id)
    fallen.delete(id)
    seen.delete(id)
    return one
  }

  /** Unloads what nobody named lately, until so many tokens fit. */
  const unloadUnused = (tokens: number, keep: SkillId): SkillId[] => {
    const gone: SkillId[] = []
    for (const { skill } of [...open.values()]) {
      if (fits(tokens)) break
      if (skill.id === keep || isNamed(skill, messages)) continue
      drop(skill.id)
      gone.push(skill.id)
    }
    return gone
  }

  const shorten = async (tokens: number, signal: AbortSignal | undefined): Promise<void> => {
    const need = Math.ceil(session.ledger().total + tokens - limit) + 1
    const shorter = options.compact
      ? await options.compact(messages, { tokens: need, ...(signal ? { signal } : {}) })
      : compactMessages(messages, need, countTokens)
    session.observe(shorter)
  }

  const tooLarge = (what: string, figures: Record<string, number>): SkillshelfError =>
    new SkillshelfError('too-large', `${what}: ${figuresOf(figures)}`, {
      figures,
      hint: 'unload a skill, or start a new conversation',
    })

  const refuseLong = (what: string, tokens: number, unloaded: readonly SkillId[]): void => {
    if (fits(tokens)) return
    const { total, percent } = session.ledger()
    throw tooLarge(`There is no room for ${what}`, {
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
      return library.snapshot.skills.filter(skill => !skill.disableModelInvocation && !dialect.leavesOut?.(skill))
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
    observe(said) {
      messages = [...said]
      const text = messages.map(({ content }) => content).join('\n')
      for (const one of open.values()) {
        const { skill } = one
        const there = holdsOpened(text, skill) || text.includes(dialect.opened(session, one))
        if (there) {
          seen.add(skill.id)
          fallen.delete(skill.id)
        } else if (dialect.placement === 'result' && seen.has(skill.id)) fallen.add(skill.id)
      }
    },
    async load(name, { by = 'host', signal } = {}) {
      const skill = await library.get(name, signal ? { signal } : {})
      await mayHave({ kind: 'skill', skill, by })
      const before = open.get(skill.id)
      if (before?.skill.digest === skill.digest && !fallen.has(skill.id)) {
        latest = skill.id
        return { skill, status: 'again', tokens: before.tokens, unloaded: [] }
      }
      const tokens = countTokens(skill.instructions)
      if (tokens >= budgets.skill)
        throw tooLarge(`${skill.name} is too long to open`, { skill: tokens, budget: budgets.skill })
      const again = before ? drop(skill.id) : undefined
      try {
        const unloaded = unloadUnused(tokens, skill.id)
        if (!fits(tokens) && options.compact) await shorten(tokens, signal)
        refuseLong(skill.name, tokens, unloaded)
        open.set(skill.id, { skill, tokens, references: again?.references ?? [] })
        latest = skill.id
        return { skill, status: 'loaded', tokens, unloaded }
      } catch (error) {
        if (again) open.set(skill.id, again)
        throw error
      }
    },
    async loadReference(name, path, { by = 'host', signal } = {}) {
      const id = findOpen(open, name)
      const file = await session.read(id, path, { by, ...(signal ? { signal } : {}) })
      const { skill, references } = open.get(findOpen(open, id)) as OpenSkill
      const held = references.find(one => one.path === file.path)
      if (held) return { skill, file, status: 'again', tokens: held.tokens, unloaded: [] }
      if (file.text === undefined)
        throw new SkillshelfError('unsupported', `${file.path} of ${skill.name} is not text`, { subject: file.path })
      const tokens = countTokens(file.text)
      const unloaded = unloadUnused(tokens, id)
      if (!fits(tokens)) await shorten(tokens, signal)
      refuseLong(`${file.path} of ${skill.name}`, tokens, unloaded)
      const one = open.get(id) as OpenSkill
      open.set(id, { ...one, references: [...one.references, { path: file.path, tokens, text: file.text }] })
      return { skill, file, status: 'loaded', tokens, unloaded }
    },
    unload(name) {
      try {
        return drop(findOpen(open, name))
      } catch {
        return undefined
      }
    },
    async read(name, path, { by = 'host', signal } = {}) {
      const file = await library.read(name, path, signal ? { signal } : {})
      const skill = library.snapshot.skills.find(({ id }) => id === file.skill) ?? (await library.get(file.skill))
      await mayHave({ kind: 'file', skill, path: file.path, by }, open.has(skill.id))
      return file
    },
    prepare: (turn, at = {}) => prepareTurn(session, turn, { ...at, auto: options.auto ?? false }),
    tools: () => (session.offered.length === 0 ? [] : dialect.tools(session)),
    prune(tools, nameOf = tool => (tool as { name: string }).name) {
      const allowed = allowedBy(session.open)
      return tools.filter(tool => dialect.toolNames.includes(nameOf(tool)) || leavesTool(allowed, nameOf(tool)))
    },
    permits: (tool, argument) =>
      dialect.toolNames.includes(tool) || allowsCall(allowedBy(session.open), tool, argument),
    limits: () => limitsOf(session.open),
    ledger: () =>
      ledgerOf(
        {
          system: typeof system === 'number' ? system : countTokens(system),
          metadata: { tokens: catalogTokensNow(), skills: session.offered.length },
          open: session.open,
          opened: dialect.placement === 'result' ? session.open.map(one => dialect.opened(session, one)) : [],
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
    rehydrate(said) {
      session.observe(said)
      const missing = session.open.filter(({ skill }) => fallen.has(skill.id))
      // They are said again now: until the next look they count as seen.
      fallen.clear()
      return rehydrated(session, missing, limit - session.ledger().total)
    },
  }
  return session
}

/**
 * Goes on with a session that was kept as JSON: its skills are opened again, as they are now.
 * @throws SkillshelfError `format` for what is no session, `aborted`
 */
export async function restoreSession(
  library: SkillLibrary,
  state: SessionState,
  options: SessionOptions & { signal?: AbortSignal } = {},
): Promise<Restored> {
  if (state?.format !== 'skillshelf-session/1' || !Array.isArray(state.open))
    throw new SkillshelfError('format', 'This is no session', { hint: 'give what session.toJSON() gave' })
  const at = options.signal ? { signal: options.signal } : {}
  const trust = { ...Object.fromEntries(state.open.map(({ id, digest }) => [id, digest])), ...options.trust }
  const session = createSession(library, options.allow || options.trust ? { ...options, trust } : options)
  const lost: { id: SkillId; reason: string }[] = []
  const attempt = async (id: SkillId, work: () => Promise<unknown>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof SkillshelfError) || error.code === 'aborted') throw error
      lost.push({ id, reason: error.message })
    }
  }
  for (const { id, references } of state.open) {
    await attempt(id, () => session.load(id, at))
    if (!session.open.some(({ skill }) => skill.id === id)) continue
    for (const path of references) await attempt(id, () => session.loadReference(id, path, at))
  }
  return { session, lost }
}

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

function figuresOf(figures: Record<string, number>): string {
  return Object.entries(figures)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')
}

function checkFigures(figures: Record<string, number>): void {
  for (const [name, value] of Object.entries(figures))
    if (typeof value !== 'number' || !(value >= 0))
      throw new SkillshelfError('invalid-input', `${name} is ${String(value)}; it is a number from 0 on`)
}
