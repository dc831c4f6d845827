import { abortable, TIMED_OUT, withTimeout } from '../../core/abort.js'
import { createQueue } from '../../core/concurrency.js'
import { errorMessage, invalidInput, SkillshelfError } from '../../core/errors.js'
import {
  createLearnedIndex,
  type LearnedFeatures,
  type LearnedIndex,
  raiseLearned,
} from '../../search/decide/learned.js'
import { loadCorpusStatistics } from '../../search/match/corpus-statistics.js'
import { noReason } from '../../search/match/reason.js'
import type { Language, MatcherResult, SkillMatch } from '../../search/match/skill-match.js'
import type { SkillModel } from '../../search/model/skill-model.js'
import type { Diagnostic } from '../../skill/diagnostics.js'
import type { SkillId } from '../../skill/skill.js'
import type { LibrarySnapshot } from '../catalog/catalog-entry.js'
import type { Lifetime } from '../lifetime.js'
import { learnedDatabase } from './database.js'
import {
  addMessage,
  checkLearned,
  cleanMessage,
  isLearnable,
  type LearnedMessage,
  type LearnedStore,
  MAX_MESSAGE,
  mergeMessages,
  readStored,
  type StoredMessage,
  withMessage,
} from './messages.js'
import { createReport, learnedOf, type UseReport } from './report.js'

/** Milliseconds that opening waits for the store. */
const LOAD_TIMEOUT = 5_000

/** The learned messages of an open library. */
export type Learning = Awaited<ReturnType<typeof openLearning>>

interface RaiseOptions {
  message: string
  limit: number
  /** Compares messages by meaning. */
  model: Promise<SkillModel | undefined>
  /** The name of a skill that may be matched, else `undefined`. */
  nameOf(skill: SkillId): string | undefined
  /** The match of one skill; `undefined` if it shares no word with the message. */
  explain(skill: SkillId): Promise<SkillMatch | undefined>
  language: Language | undefined
  /** See `MatcherOptions`. */
  modelTimeout: number
  signal: AbortSignal | undefined
}

/** Opens the learned messages. @throws `unsupported` without a store and IndexedDB, `invalid-input` if the store lacks a method */
export async function openLearning(option: true | LearnedStore, signal: AbortSignal | undefined) {
  const store = checkStore(option)
  const queue = createQueue()
  let stored: readonly StoredMessage[] = []
  let messages: readonly LearnedMessage[] = []
  let index: { model: SkillModel | undefined; opened: Promise<LearnedIndex> } | undefined
  let features: { model: SkillModel | undefined; known: LearnedFeatures } | undefined
  let diagnostic: Diagnostic | undefined

  const replace = (next: readonly StoredMessage[]): void => {
    stored = next
    messages = learnedOf(next)
    index = undefined
  }
  const load = async (): Promise<void> => {
    const { messages, damaged } = readStored(await store.load())
    replace(messages)
    if (damaged > 0) diagnostic = unreadable('some are not in the expected format', 'the others are used')
  }
  /** Changes the stored messages, which another tab may have changed since they were loaded. */
  const change = (edit: (stored: readonly StoredMessage[]) => readonly StoredMessage[]): Promise<void> =>
    queue(async () => {
      let next: readonly StoredMessage[] = []
      const apply = (stored: unknown): readonly StoredMessage[] => {
        next = edit(readStored(stored).messages)
        return next
      }
      if (store.update) await store.update(apply)
      else await store.save(apply(await store.load()))
      replace(next)
    })
  /** The model can join later, so the index is opened again for another one. */
  const openIndex = (model: SkillModel | undefined): Promise<LearnedIndex> => {
    if (index && index.model === model) return index.opened
    const current = messages
    // Forgotten messages leave the features too.
    const kept = new Set(current.map(({ message }) => message))
    const before = features && features.model === model ? [...features.known] : []
    const known = new Map(before.filter(([message]) => kept.has(message)))
    features = { model, known }
    const opened = loadCorpusStatistics().then(corpus => createLearnedIndex(current, corpus, model, known))
    const fresh = { model, opened }
    index = fresh
    opened.catch(() => {
      // A failure is not cached, so the next message retries.
      if (index === fresh) index = undefined
    })
    return opened
  }

  /** Returns the number of forgotten messages. */
  const forget = async (skill: SkillId | undefined, message?: string): Promise<number> => {
    const selected = withMessage(skill, message === undefined ? undefined : checkMessage(message))
    let forgotten = 0
    // At once, so that the next match does not wait for the store.
    replace(stored.filter(one => !selected(one)))
    await change(stored => {
      const kept = stored.filter(one => !selected(one))
      forgotten = stored.length - kept.length
      return kept
    })
    return forgotten
  }

  try {
    if ((await withTimeout(LOAD_TIMEOUT, () => abortable(queue(load), signal), signal)) === TIMED_OUT)
      diagnostic = unreadable(`no answer within ${LOAD_TIMEOUT} ms`, 'matching works without them')
  } catch (error) {
    if (signal?.aborted) throw error
    diagnostic = unreadable(errorMessage(error), 'matching works without them')
  }

  return {
    /** Set if stored messages could not be read. */
    diagnostic,
    /** Raises the skills of learned messages that are like the user's. Without one, returns the result unchanged. */
    async raise(result: MatcherResult, options: RaiseOptions): Promise<MatcherResult> {
      const { message, limit, model, nameOf, explain, language, modelTimeout, signal } = options
      const cleaned = cleanMessage(message)
      if (messages.length === 0 || !isLearnable(cleaned)) return result
      const opened = model.then(openIndex)
      const hits = await abortable(
        opened.then(index => index.find(cleaned, skill => nameOf(skill) !== undefined, modelTimeout)),
        signal,
      )
      if (hits.length === 0) return result
      const found = new Set(result.matches.map(({ id }) => id))
      const others = hits
        .filter(({ skill }) => !found.has(skill))
        .map(async ({ skill }) => (await explain(skill)) ?? wordlessMatch(skill, nameOf(skill) as string))
      const all = [...result.matches, ...(await Promise.all(others))]
      const { served, matches } = raiseLearned({ served: result.served, matches: all }, hits, language)
      const { abstained: _, ...rest } = result
      return { ...rest, served, matches: matches.slice(0, limit) }
    },
    list: (): LearnedMessage[] => messages.map(one => ({ ...one })),
    /** @param isGone Whether a source of the library no longer has the skill. Such skills are forgotten. */
    async learn(message: string, skill: SkillId, isGone: (skill: SkillId) => boolean): Promise<void> {
      const cleaned = checkMessage(message)
      const isKept = (one: StoredMessage): boolean => !isGone(one.skill)
      await change(stored => addMessage(stored.filter(isKept), skill, cleaned))
    },
    /** Forgets the messages of a removed skill once another one has its id. The same skill keeps them. */
    follow(lifetime: Lifetime, snapshot: () => LibrarySnapshot, isGone: (skill: SkillId) => boolean): void {
      let before = snapshot()
      /** Digests of removed skills; `''` for one that was gone when the library was opened. */
      const gone = new Map(messages.filter(one => isGone(one.skill)).map(({ skill }) => [skill, '']))
      const digestIn = ({ skills }: LibrarySnapshot, id: SkillId): string =>
        skills.find(skill => skill.id === id)?.digest ?? ''
      lifetime.on('change', ({ added, removed }) => {
        const now = snapshot()
        for (const id of removed) if (isGone(id)) gone.set(id, digestIn(before, id))
        for (const id of added) {
          if (gone.has(id) && gone.get(id) !== digestIn(now, id)) forget(id).catch(() => undefined)
          gone.delete(id)
        }
        before = now
      })
    },
    /** Keeps a message after which no skill was opened, for the report. One that cannot be learned is left out. */
    async note(message: string, { matches, maybe = [] }: Pick<MatcherResult, 'matches' | 'maybe'>): Promise<void> {
      const cleaned = cleanMessage(message)
      const outcome = matches.length > 0 ? 'not-opened' : maybe.length > 0 ? 'near' : 'nothing'
      const skill = [...matches, ...maybe][0]?.id ?? ''
      if (isLearnable(cleaned)) await change(stored => addMessage(stored, skill, cleaned, outcome))
    },
    /** @param skills The ids of the library. */
    report: (skills: readonly SkillId[]): UseReport => createReport(stored, skills),
    forget,
    async import(imported: readonly LearnedMessage[]): Promise<void> {
      const checked = checkLearned(imported)
      await change(stored => mergeMessages(stored, checked))
    },
    /** Reads the messages again after changes by other tabs. Returns what stops it. */
    watch(): (() => void)[] {
      // A tab that cannot read the change keeps its messages.
      const stop = store.watch?.(() => void queue(load).catch(() => undefined))
      return stop ? [stop] : []
    },
  }
}

function wordlessMatch(id: SkillId, name: string): SkillMatch {
  const signals = { terms: [], rules: [], missing: [], relevance: 0 }
  return { id, name, score: 0, reason: noReason('nothing'), signals }
}

function checkStore(option: true | LearnedStore): LearnedStore {
  if (option === true) {
    if (typeof indexedDB !== 'undefined') return learnedDatabase()
    throw new SkillshelfError('unsupported', '"learn: true" needs IndexedDB, which this platform does not have', {
      hint: "pass a store, such as learnedFile('learned.json') from 'skillshelf/node'",
    })
  }
  const isMethod = (name: keyof LearnedStore): boolean => typeof option?.[name] === 'function'
  const isOptional = (name: keyof LearnedStore): boolean => option[name] === undefined || isMethod(name)
  if (isMethod('load') && isMethod('save') && isOptional('update') && isOptional('watch')) return option
  throw invalidInput(
    '"learn" must be true or a store with load and save',
    "such as learnedFile('learned.json') from 'skillshelf/node'",
  )
}

function checkMessage(message: string): string {
  const cleaned = typeof message === 'string' ? cleanMessage(message) : ''
  if (isLearnable(cleaned)) return cleaned
  throw invalidInput(`"message" must be a string of 1 to ${MAX_MESSAGE} characters`)
}

function unreadable(problem: string, hint: string): Diagnostic {
  const message = `Learned messages could not be read: ${problem}`
  return { code: 'learned-unreadable', severity: 'warning', message, hint }
}
