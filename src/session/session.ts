import { owningFolder } from '../catalog/discover.js'
import { createLookup } from '../catalog/lookup.js'
import { SkillshelfError } from '../core/errors.js'
import { joinPath, relativePath } from '../core/paths.js'
import { estimateTokens } from '../core/tokens.js'
import type { SkillLibrary } from '../library/types.js'
import type { SkillId, SkillSummary } from '../skill/types.js'
import { allowedTools, allowsCall, allowsTool, limitsOf, toolName } from './allowed-tools.js'
import { compactMessages, isMentioned } from './compaction.js'
import { ledgerOf } from './ledger.js'
import { normalizeMessages } from './messages.js'
import { checkDialect, checkFigures, checkLibrary } from './options.js'
import { createPermissionCheck } from './permissions.js'
import { prepareTurn } from './prepare.js'
import { containsSkill, type SkillContent, withoutSkills } from './prompt/skill-content.js'
import { restoreInstructions } from './rehydrate.js'
import { defaultDialect } from './tools/default-dialect.js'
import type { Budgets, LoadReferenceResult, OpenSkill, Session, SessionMessage, SessionOptions } from './types.js'

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
  return createSessionWith(library, options, new Set())
}

/** @param seen Open skills whose instructions the messages held once: a host that goes on with a session adds those it opens again. */
export function createSessionWith(library: SkillLibrary, options: SessionOptions, seen: Set<SkillId>): Session {
  const {
    contextTokens = CONTEXT_TOKENS,
    catalogTokens = CATALOG_TOKENS,
    countTokens = estimateTokens,
    dialect = defaultDialect,
    system = 0,
  } = options
  const budgets = { ...BUDGETS, ...options.budgets }
  checkLibrary(library)
  checkDialect(dialect)
  checkFigures({ contextTokens, catalogTokens, ...budgets })
  const mayHave = createPermissionCheck(options)
  const open = new Map<SkillId, OpenSkill>()
  /** Open skills whose instructions the messages held once, and hold no more. */
  const fallen = new Set<SkillId>()
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

  const toolGave = (one: OpenSkill): SkillContent => ({
    skill: one.skill,
    said: dialect.placement === 'result' ? dialect.skillText(session, one) : '',
  })

  /** What a tool gave of it goes from the messages: else closing it would make no room. */
  const takeOut = (one: OpenSkill): void => {
    if (dialect.placement !== 'result') return
    const note = dialect.reminder(one.skill)
    messages = messages.map(message => ({ ...message, content: withoutSkills(message.content, [toolGave(one)], note) }))
  }

  /** Unloads what nobody named lately, until so many tokens fit. */
  const unloadUnused = (tokens: number, keep: SkillId): SkillId[] => {
    const gone: SkillId[] = []
    for (const one of [...open.values()]) {
      const { skill } = one
      if (fits(tokens)) break
      if (skill.id === keep || isMentioned(skill, messages)) continue
      drop(skill.id)
      takeOut(one)
      gone.push(skill.id)
    }
    return gone
  }

  const shorten = async (tokens: number, signal: AbortSignal | undefined): Promise<void> => {
    const need = Math.ceil(session.ledger().total + tokens - limit) + 1
    const before = messages
    const shorter = options.compact
      ? await options.compact(messages, { tokens: need, ...(signal ? { signal } : {}) })
      : compactMessages(messages, need, countTokens)
    // What was said while the host made room is not lost.
    if (messages === before) session.observe(shorter)
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
    observe(said) {
      messages = normalizeMessages(said)
      for (const one of open.values()) {
        const { skill } = one
        const opened = dialect.skillText(session, one)
        if (messages.some(({ content }) => containsSkill(content, skill) || content.includes(opened))) {
          seen.add(skill.id)
          fallen.delete(skill.id)
        } else if (dialect.placement === 'result' && seen.has(skill.id)) fallen.add(skill.id)
      }
    },
    async load(name, { by = 'host', signal } = {}) {
      const skill = await library.get(name, { signal })
      await mayHave({ kind: 'skill', skill, by })
      const before = open.get(skill.id)
      if (before?.skill.digest === skill.digest && !fallen.has(skill.id)) {
        latest = skill.id
        return { skill, status: 'again', tokens: before.tokens, unloaded: [] }
      }
      const tokens = countTokens(skill.instructions)
      if (tokens >= budgets.skill)
        throw tooLarge(`${skill.name} is too long to open`, { skill: tokens, budget: budgets.skill })
      const [wasSeen, wasFallen] = [seen.has(skill.id), fallen.has(skill.id)]
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
        if (again && wasSeen) seen.add(skill.id)
        if (again && wasFallen) fallen.add(skill.id)
        throw error
      }
    },
    async loadReference(name, path, { by = 'host', signal } = {}) {
      const id = findOpen(open, name)
      const file = await session.read(id, path, { by, signal })
      /** As it is now: while somebody is waited for it may be closed, or the file added. @throws SkillshelfError `not-loaded` */
      const look = (unloaded: readonly SkillId[]): { one: OpenSkill; again?: LoadReferenceResult } => {
        const one = open.get(findOpen(open, id)) as OpenSkill
        const held = one.references.find(({ path }) => path === file.path)
        if (!held) return { one }
        return { one, again: { skill: one.skill, file, status: 'again', tokens: held.tokens, unloaded } }
      }
      const before = look([])
      if (before.again) return before.again
      const { skill } = before.one
      if (file.text === undefined)
        throw new SkillshelfError('unsupported', `${file.path} of ${skill.name} is not text`, { subject: file.path })
      const tokens = countTokens(file.text)
      const unloaded = unloadUnused(tokens, id)
      if (!fits(tokens)) await shorten(tokens, signal)
      const { one, again } = look(unloaded)
      if (again) return again
      refuseLong(`${file.path} of ${skill.name}`, tokens, unloaded)
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
      const file = await library.read(name, path, { signal })
      const skill = library.snapshot.skills.find(({ id }) => id === file.skill) ?? (await library.get(file.skill))
      await mayHave({ kind: 'file', skill, path: file.path, by }, open.has(skill.id))
      const inner = innerOf(library, skill, file.path)
      if (inner) await mayHave({ kind: 'file', ...inner, by }, open.has(inner.skill.id))
      return file
    },
    prepare: (turn, at = {}) =>
      prepareTurn(session, typeof turn === 'string' ? { message: turn } : turn, { ...at, auto: options.auto ?? false }),
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
          system: typeof system === 'number' ? system : countTokens(system),
          metadata: { tokens: catalogTokensNow(), skills: session.offered.length },
          open: session.open,
          opened: session.open.map(toolGave),
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
      const { said: again, given } = restoreInstructions(session, missing, limit - session.ledger().total)
      // They are said again now: until the next look they count as seen.
      for (const id of given) fallen.delete(id)
      return again
    },
  }
  return session
}

/** The skill inside another that a file of that one belongs to: who may not have it does not get it by way of the outer one. */
function innerOf(
  { snapshot }: SkillLibrary,
  outer: SkillSummary,
  path: string,
): { skill: SkillSummary; path: string } | undefined {
  const byPath = new Map(snapshot.skills.filter(({ origin }) => origin === outer.origin).map(one => [one.path, one]))
  const whole = joinPath(outer.path, path)
  const skill = byPath.get(owningFolder(whole, byPath) ?? outer.path)
  return skill && skill.id !== outer.id ? { skill, path: relativePath(skill.path, whole) } : undefined
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
