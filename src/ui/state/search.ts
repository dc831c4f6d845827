import type { SkillLibrary } from '../../library/skill-library.js'
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
export function createSearch(host: SkillSearchHost) {
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
    for (const { resolve, reject } of waiting.splice(0))
      if (status === 'ready' && library) resolve(library)
      else reject(error ?? new DOMException('There is no library: set src or library', 'InvalidStateError'))
  }
  /** Opens the library, if there is one and it is not open. */
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
  /** Matches a message. Opens the library unless the message is empty. */
  const ask = (next: string): void => {
    message = next
    if (next !== '') open()
    const { library, status } = skills()
    matching.ask(status === 'ready' ? library : undefined, next, { ...host.matchOptions(), threshold: false })
    host.changed()
  }
  /** Closes the library and rejects calls of `load` that wait. */
  const close = (): void => {
    matching.close()
    opened?.close()
    opened = undefined
    for (const { reject } of waiting.splice(0)) reject(new DOMException('The library was closed', 'AbortError'))
    host.changed()
  }
  return {
    get skills(): SkillsState {
      return skills()
    },
    get match(): MatchState {
      return matching.state
    },
    get message(): string {
      return message
    },
    open,
    ask,
    /** See `SkillSearchElement.load`. */
    load(): Promise<SkillLibrary> {
      open()
      return new Promise((resolve, reject) => {
        waiting.push({ resolve, reject })
        settle()
      })
    },
    /** Opens the library again if it failed, otherwise matches the message again. */
    retry() {
      if (skills().status !== 'failed') return ask(message)
      close()
      open()
    },
    close,
  }
}
