/** Performance marks of the upgrade page: the start of each phase, and the end. */
export const MARKS = ['idle', 'loading', 'embedding', 'upgraded'] as const

/** Results of the pages. Times are in ms from the start of the navigation unless stated otherwise. */
export interface FirstMatch {
  script: number
  opened: number
  answered: number
  model: string
  found: readonly string[]
}

export interface PeerTimes {
  script: number
  ready: number
  embedded: number
  answered: number
  skills: number
  found: readonly string[]
}

/** How responsive the main thread was over some time. */
export interface Responsiveness {
  ms: number
  /** The longest task that the browser reported; 0 if none took 50 ms. */
  longestTask: number
  longTasks: number
  /** The longest gap between two ticks of a 4 ms timer, and the five longest. */
  longestGap: number
  gaps: readonly number[]
  /** Durations of the matches in that time. */
  matches: readonly number[]
}

export interface UpgradeTimes {
  before: Responsiveness
  loading: Responsiveness
  embedding: Responsiveness
  /** Time from the call of `upgrade` until the model was loaded, and until it was in use. */
  loaded: number
  ready: number
  skills: number
  /** Number of skill texts embedded. */
  embedded: number
  /** Durations of matches with the transformer. */
  after: readonly number[]
  model: string
}

/** Durations in ms of loading an encoder, and of embedding one message and one skill at a time. */
export interface EncoderTimes {
  loaded: number
  messages: readonly number[]
  skills: readonly number[]
}

export interface LargeTimes {
  skills: number
  opened: number
  /** Durations of queries by matcher and kind of message. */
  times: Readonly<Record<string, Readonly<Record<string, readonly number[]>>>>
}
