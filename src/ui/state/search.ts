import type { SkillLibrary } from '../../library/api/skill-library.js'
import type { MatcherResult } from '../../search/match/skill-match.js'
import { type AskOptions, createMatching, type MatchState } from './matching.js'
import {
  IDLE,
  type OpenedSkills,
  type OpenSkillsOptions,
  openSkills,
  type SkillsInput,
  type SkillsState,
} from './skills.js'

export interface SkillSearchHost {
  /** The library to open. `undefined`: none for now. */
  input(): SkillsInput
  openOptions(): OpenSkillsOptions
  matchOptions(): Omit<AskOptions, 'threshold'>
  /** Called after each change, before `matched` and `failed`. */
  changed(): void
  matched(message: string, result: MatcherResult): void
  failed(error: Error): void
}

/** A search box without its look: it opens a library on first use and matches the message in the box. */
export interface SkillSearch {
  readonly skills: SkillsState
  readonly match: MatchState
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
  let reportedResult: MatcherResult | undefined
  const waiting: { resolve: (library: SkillLibrary) => void; reject: (error: Error) => void }[] = []
  const matching = createMatching(({ pending, error, result, message }) => {
    // Listeners see the state that the event reports.
    host.changed()
    if (pending) return
    if (error) host.failed(error)
    else if (result && result !== reportedResult) {
      reportedResult = result
      host.matched(message, result)
    }
  })
  const skills = (): SkillsState => opened?.state ?? IDLE
  const settle = (): void => {
    const { status, library, error } = skills()
    if (status === 'loading') return
    for (const { resolve, reject } of waiting.splice(0)) {
      if (status === 'ready' && library) resolve(library)
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
    const { library, status } = skills()
    matching.ask(status === 'ready' ? library : undefined, next, {
      ...host.matchOptions(),
      threshold: false,
    })
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
      if (skills().status !== 'failed') {
        ask(message)
        return
      }
      close()
      open()
    },
    close,
  }
}
