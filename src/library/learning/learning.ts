import { abortable, TIMED_OUT, withTimeout } from '../../core/abort.js'
import { createQueue } from '../../core/concurrency.js'
import { errorMessage, invalidInput } from '../../core/errors.js'
import { raiseLearned } from '../../search/decide/learned.js'
import { wordlessMatch } from '../../search/match/reason.js'
import type { Language, MatcherResult, RankedMatch } from '../../search/match/skill-match.js'
import type { SkillModel } from '../../search/model/skill-model.js'
import type { Diagnostic } from '../../skill/diagnostics.js'
import type { SkillId } from '../../skill/skill.js'
import type { LearnedMessage, LearnedStore, UseReport } from '../api/learned-messages.js'
import type { Lifetime } from '../api/lifetime.js'
import type { MatchResult } from '../api/match-result.js'
import type { LibrarySnapshot } from '../catalog/catalog-entry.js'
import { learnedDatabase } from './database.js'
import {
  changeMessages,
  type LearningState,
  loadMessages,
  openLearnedIndex,
  replaceMessages,
  unreadable,
} from './learning-state.js'
import {
  addMessage,
  checkLearned,
  cleanMessage,
  isLearnable,
  MAX_MESSAGE,
  mergeMessages,
  type Outcome,
  type StoredMessage,
  withMessage,
} from './messages.js'
import { createReport } from './report.js'

/** Milliseconds that opening waits for the store. */
const LOAD_TIMEOUT = 5_000

/** The learned messages of an open library. Its methods change what the next match finds at once, and the store after that. */
export interface Learning {
  /** Set if stored messages could not be read. */
  readonly diagnostic: Diagnostic | undefined
  /** Raises the skills of learned messages that are like the user's. Without one, returns the result unchanged. */
  raise(result: MatcherResult, options: RaiseOptions): Promise<MatcherResult>
  /** The messages that opened a skill, oldest first. */
  list(): LearnedMessage[]
  /** @param isGone Whether a source of the library no longer has the skill. Such skills are forgotten. */
  learn(message: string, skill: SkillId, isGone: (skill: SkillId) => boolean): Promise<void>
  /** Forgets the messages of a removed skill once another one has its id. The same skill keeps them. */
  follow(
    lifetime: Lifetime,
    snapshot: () => LibrarySnapshot,
    isGone: (skill: SkillId) => boolean,
  ): void
  /** Keeps a message after which no skill was opened, for the report. One that cannot be learned is left out. */
  note(message: string, result: FoundSkills): Promise<void>
  /** @param skills The ids of the library. */
  report(skills: readonly SkillId[]): UseReport
  /** Forgets the messages of a skill, a message, or a message of a skill; all without both. Returns the number of forgotten messages. */
  forget(skill: SkillId | undefined, message?: string): Promise<number>
  /** Adds exported messages. */
  import(imported: readonly LearnedMessage[]): Promise<void>
  /** Reads the messages again after changes by other tabs. Returns what stops it. */
  watch(): (() => void)[]
}

type FoundSkills = Pick<MatchResult, 'matches' | 'maybe'>

interface RaiseOptions {
  message: string
  limit: number
  /** Compares messages by meaning. */
  model: Promise<SkillModel | undefined>
  /** The name of a skill that may be matched, else `undefined`. */
  nameOf(skill: SkillId): string | undefined
  /** The match of one skill; `undefined` if it shares no word with the message. */
  explain(skill: SkillId): Promise<RankedMatch | undefined>
  language: Language | undefined
  /** See `MatcherOptions`. */
  modelTimeout: number
  signal: AbortSignal | undefined
}

/** Opens the learned messages. @throws `invalid-input` if the store lacks a method */
export async function openLearning(
  option: true | LearnedStore,
  signal: AbortSignal | undefined,
): Promise<Learning> {
  const state: LearningState = {
    store: checkStore(option),
    queue: createQueue(),
    stored: [],
    messages: [],
    index: undefined,
    features: undefined,
    diagnostic: undefined,
  }
  await loadInTime(state, signal)
  return {
    diagnostic: state.diagnostic,
    raise: (result, options) => raise(state, result, options),
    list: () => state.messages.map(one => ({ ...one })),
    learn: (message, skill, isGone) => learn(state, message, skill, isGone),
    follow: (lifetime, snapshot, isGone) => follow(state, lifetime, snapshot, isGone),
    note: (message, result) => note(state, message, result),
    report: skills => createReport(state.stored, skills),
    forget: (skill, message) => forget(state, skill, message),
    async import(imported) {
      const checked = checkLearned(imported)
      await changeMessages(state, stored => mergeMessages(stored, checked))
    },
    watch() {
      // A tab that cannot read the change keeps its messages.
      const reload = (): Promise<void> =>
        state.queue(() => loadMessages(state)).catch(() => undefined)
      const stop = state.store.watch?.(() => void reload())
      return stop ? [stop] : []
    },
  }
}

/** Loads the messages. A store that fails or does not answer leaves a diagnostic: a library opens without its messages. */
async function loadInTime(state: LearningState, signal: AbortSignal | undefined): Promise<void> {
  const load = (): Promise<void> =>
    abortable(
      state.queue(() => loadMessages(state)),
      signal,
    )
  try {
    const loaded = await withTimeout(LOAD_TIMEOUT, load, signal)
    if (loaded === TIMED_OUT) {
      state.diagnostic = unreadable(
        `no answer within ${LOAD_TIMEOUT} ms`,
        'matching works without them',
      )
    }
  } catch (error) {
    if (signal?.aborted) throw error
    state.diagnostic = unreadable(errorMessage(error), 'matching works without them')
  }
}

async function raise(
  state: LearningState,
  result: MatcherResult,
  options: RaiseOptions,
): Promise<MatcherResult> {
  const { message, limit, model, nameOf, explain, language, modelTimeout, signal } = options
  const cleaned = cleanMessage(message)
  if (state.messages.length === 0 || !isLearnable(cleaned)) return result
  const opened = model.then(joined => openLearnedIndex(state, joined))
  const hits = await abortable(
    opened.then(index => index.find(cleaned, skill => nameOf(skill) !== undefined, modelTimeout)),
    signal,
  )
  if (hits.length === 0) return result
  const found = new Set(result.matches.map(({ id }) => id))
  const others = hits
    .filter(({ skill }) => !found.has(skill))
    .map(
      async ({ skill }) =>
        (await explain(skill)) ?? wordlessMatch({ id: skill, name: nameOf(skill) as string }),
    )
  const all = [...result.matches, ...(await Promise.all(others))]
  const { served, matches } = raiseLearned({ served: result.served, matches: all }, hits, language)
  const { abstained: _, ...rest } = result
  return { ...rest, served, matches: matches.slice(0, limit) }
}

async function learn(
  state: LearningState,
  message: string,
  skill: SkillId,
  isGone: (skill: SkillId) => boolean,
): Promise<void> {
  const cleaned = checkMessage(message)
  const isKept = (one: StoredMessage): boolean => !isGone(one.skill)
  await changeMessages(state, stored => addMessage(stored.filter(isKept), skill, cleaned))
}

async function note(
  state: LearningState,
  message: string,
  { matches, maybe }: FoundSkills,
): Promise<void> {
  const cleaned = cleanMessage(message)
  if (!isLearnable(cleaned)) return
  const [nearest] = [...matches, ...maybe]
  const outcome = outcomeOf(matches.length, maybe.length)
  await changeMessages(state, stored => addMessage(stored, nearest?.id ?? '', cleaned, outcome))
}

/** What a message found after which no skill was opened. */
function outcomeOf(matches: number, maybe: number): Outcome {
  if (matches > 0) return 'not-opened'
  return maybe > 0 ? 'near' : 'nothing'
}

async function forget(
  state: LearningState,
  skill: SkillId | undefined,
  message?: string,
): Promise<number> {
  const selected = withMessage(skill, message === undefined ? undefined : checkMessage(message))
  let forgotten = 0
  // At once, so that the next match does not wait for the store.
  replaceMessages(
    state,
    state.stored.filter(one => !selected(one)),
  )
  await changeMessages(state, stored => {
    const kept = stored.filter(one => !selected(one))
    forgotten = stored.length - kept.length
    return kept
  })
  return forgotten
}

function follow(
  state: LearningState,
  lifetime: Lifetime,
  snapshot: () => LibrarySnapshot,
  isGone: (skill: SkillId) => boolean,
): void {
  let before = snapshot()
  /** Digests of removed skills; `''` for one that was gone when the library was opened. */
  const gone = new Map(
    state.messages.filter(one => isGone(one.skill)).map(({ skill }) => [skill, '']),
  )
  lifetime.on('change', ({ added, removed }) => {
    const now = snapshot()
    for (const id of removed) {
      if (isGone(id)) gone.set(id, digestIn(before, id))
    }
    for (const id of added) {
      const digest = gone.get(id)
      if (digest !== undefined && digest !== digestIn(now, id)) {
        forget(state, id).catch(() => undefined)
      }
      gone.delete(id)
    }
    before = now
  })
}

/** The digest of a skill in a snapshot, `''` without it. */
function digestIn({ skills }: LibrarySnapshot, id: SkillId): string {
  return skills.find(skill => skill.id === id)?.digest ?? ''
}

function checkStore(option: true | LearnedStore): LearnedStore {
  // Without IndexedDB it rejects, as where storage is denied: the library opens, with a diagnostic.
  if (option === true) return learnedDatabase()
  const isMethod = (name: keyof LearnedStore): boolean => typeof option?.[name] === 'function'
  const isOptional = (name: keyof LearnedStore): boolean =>
    option[name] === undefined || isMethod(name)
  if (isMethod('load') && isMethod('save') && isOptional('update') && isOptional('watch')) {
    return option
  }
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
