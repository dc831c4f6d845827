import {
  createLearnedIndex,
  type LearnedFeatures,
  type LearnedIndex,
} from '../../search/decide/learned.js'
import { loadCorpusStatistics } from '../../search/match/corpus-statistics.js'
import type { SkillModel } from '../../search/model/skill-model.js'
import type { Diagnostic } from '../../skill/diagnostics.js'
import type { LearnedMessage, LearnedStore } from '../api/learned-messages.js'
import { readStored, type StoredMessage } from './messages.js'
import { learnedOf } from './report.js'

/** The learned messages of an open library, and the store that keeps them. */
export interface LearningState {
  readonly store: LearnedStore
  /** Runs reads and writes of the store, one after the other. */
  readonly queue: <T>(task: () => Promise<T>) => Promise<T>
  /** All messages, also those that are kept for the report only. Oldest first. */
  stored: readonly StoredMessage[]
  /** Those of `stored` that opened a skill: they raise it. */
  messages: readonly LearnedMessage[]
  /** Finds the messages that are like another one. Absent until it is needed, and after each change of `messages`. */
  index: { model: SkillModel | undefined; opened: Promise<LearnedIndex> } | undefined
  /** Features of messages. They outlive an index, because computing them takes most of the time of opening one. */
  features: { model: SkillModel | undefined; known: LearnedFeatures } | undefined
  /** Set if stored messages could not be read. */
  diagnostic: Diagnostic | undefined
}

/** Replaces the messages in memory. The next match opens another index. */
export function replaceMessages(state: LearningState, stored: readonly StoredMessage[]): void {
  state.stored = stored
  state.messages = learnedOf(stored)
  state.index = undefined
}

/** Reads the messages of the store. Call it in the queue. */
export async function loadMessages(state: LearningState): Promise<void> {
  const { messages, damaged } = readStored(await state.store.load())
  replaceMessages(state, messages)
  if (damaged > 0) {
    state.diagnostic = unreadable('some are not in the expected format', 'the others are used')
  }
}

/** Changes the stored messages, which another tab may have changed since they were loaded. */
export function changeMessages(
  state: LearningState,
  edit: (stored: readonly StoredMessage[]) => readonly StoredMessage[],
): Promise<void> {
  const { store, queue } = state
  return queue(async () => {
    let changed: readonly StoredMessage[] = []
    const apply = (stored: unknown): readonly StoredMessage[] => {
      changed = edit(readStored(stored).messages)
      return changed
    }
    if (store.update) await store.update(apply)
    else await store.save(apply(await store.load()))
    replaceMessages(state, changed)
  })
}

/** Opens the index of the messages. The model can join later, so the index is opened again for another one. */
export function openLearnedIndex(
  state: LearningState,
  model: SkillModel | undefined,
): Promise<LearnedIndex> {
  const { index, features, messages } = state
  if (index && index.model === model) return index.opened
  // Forgotten messages leave the features too.
  const kept = new Set(messages.map(({ message }) => message))
  const before = features && features.model === model ? [...features.known] : []
  const known = new Map(before.filter(([message]) => kept.has(message)))
  state.features = { model, known }
  const opened = loadCorpusStatistics().then(corpus =>
    createLearnedIndex(messages, corpus, model, known),
  )
  const fresh = { model, opened }
  state.index = fresh
  opened.catch(() => {
    // A failure is not cached, so the next message retries.
    if (state.index === fresh) state.index = undefined
  })
  return opened
}

/** The diagnostic of stored messages that could not be read. */
export function unreadable(problem: string, hint: string): Diagnostic {
  const message = `Learned messages could not be read: ${problem}`
  return { code: 'learned-unreadable', severity: 'warning', message, hint }
}
