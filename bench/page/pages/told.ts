/** What pages tell. Times in ms; those of a visit from the start of the navigation. */
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

/** How the main thread fared over some time. */
export interface Fluency {
  ms: number
  /** Longest task, as the browser tells it; 0: none of 50 ms or more. */
  longestTask: number
  longTasks: number
  /** Longest time between two beats of a timer of 4 ms, and the five longest. */
  longestGap: number
  gaps: readonly number[]
  /** Times of the matches made meanwhile. */
  matches: readonly number[]
}

export interface UpgradeTimes {
  before: Fluency
  loading: Fluency
  embedding: Fluency
  /** From the call to the model loaded, and to the upgrade done. */
  loaded: number
  ready: number
  skills: number
  /** Texts of skills that the model has read. */
  read: number
  /** Matches by the transformer, once it is there. */
  after: readonly number[]
  model: string
}

export interface LargeTimes {
  skills: number
  opened: number
  /** Times of queries, by matcher, by kind of message. */
  times: Readonly<Record<string, Readonly<Record<string, readonly number[]>>>>
}
