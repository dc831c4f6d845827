import type { SearchResult } from '../../library/api/match-result.js'
import type { SearchOptions, SkillLibrary } from '../../library/api/skill-library.js'
import { createLoading, IDLE, type Loaded } from './loaded.js'
import { loadFrom, loadMatches } from './matching.js'
import {
  type OpenedSkills,
  type OpenSkillsOptions,
  openSkills,
  type SkillsInput,
  type SkillsState,
} from './skills.js'

/** The latest result, and the message that it answers. */
export interface Answer {
  readonly message: string
  readonly result: SearchResult
  readonly complete: boolean
}

export interface SkillSearchHost {
  /** The library to open. `undefined`: none for now. */
  input(): SkillsInput
  openOptions(): OpenSkillsOptions
  searchOptions(): Omit<SearchOptions, 'signal'>
  /** Called after each change, before `matched` and `failed`. */
  changed(): void
  matched(answer: Answer): void
  failed(error: Error): void
}

/** A search box without its look: it opens a library on first use and matches the message in the box. */
export interface SkillSearch {
  readonly skills: SkillsState
  readonly match: Loaded<Answer>
  readonly message: string
  /** Opens the library, if there is one and it is not open. */
  open(): void
  /** Matches a message. Opens the library unless the message is empty. */
  ask(message: string): void
  /** See `SkillSearchElement.load`. */
  load(): Promise<SkillLibrary>
  /** Opens the library again if it failed, otherwise matches the message again. */
  retry(): void
  /** Closes the library and rejects calls of `load` that wait. */
  close(): void
}

export function createSearch(host: SkillSearchHost): SkillSearch {
  let opened: OpenedSkills | undefined
  let message = ''
  let reportedError: Error | undefined
  let reported: Answer | undefined
  const waiting: { resolve: (library: SkillLibrary) => void; reject: (error: Error) => void }[] = []
  const matching = createLoading<Answer>(IDLE, ({ isFetching, error, data }) => {
    // Listeners see the state that the event reports.
    host.changed()
    if (isFetching) return
    if (error && error !== skills().error) host.failed(error)
    else if (data && data !== reported) {
      reported = data
      host.matched(data)
    }
  })
  const skills = (): SkillsState => opened?.state ?? IDLE
  const settle = (): void => {
    const { status, data, error } = skills()
    if (status === 'pending') return
    for (const { resolve, reject } of waiting.splice(0)) {
      if (data) resolve(data.library)
      else {
        reject(
          error ?? new DOMException('There is no library: set src or library', 'InvalidStateError'),
        )
      }
    }
  }
  const open = (): void => {
    const input = opened ? undefined : host.input()
    if (input === undefined) return
    opened = openSkills(input, host.openOptions(), ({ error }) => {
      if (error && error !== reportedError) host.failed(error)
      reportedError = error
      settle()
      ask(message)
    })
    ask(message)
  }
  const ask = (next: string): void => {
    message = next
    if (next !== '') open()
    const load = loadMatches(async (library, options) => {
      const result = await library.search(next, { ...host.searchOptions(), ...options })
      return { message: next, result, complete: result.complete }
    })
    loadFrom(matching, skills(), next.trim() === '' ? undefined : load)
    host.changed()
  }
  const close = (): void => {
    matching.close()
    opened?.close()
    opened = undefined
    for (const { reject } of waiting.splice(0)) {
      reject(new DOMException('The library was closed', 'AbortError'))
    }
    host.changed()
  }
  return {
    get skills() {
      return skills()
    },
    get match() {
      return matching.state
    },
    get message() {
      return message
    },
    open,
    ask,
    load() {
      open()
      return new Promise((resolve, reject) => {
        waiting.push({ resolve, reject })
        settle()
      })
    },
    retry() {
      if (skills().status !== 'error') {
        ask(message)
        return
      }
      close()
      open()
    },
    close,
  }
}
