import type { openLibrary, SkillSource } from 'skillshelf'
import type { Diversion } from './drop.js'
import type { Folder } from './folder.js'

/** A library in this page: a further model can join it. */
export type Library = Awaited<ReturnType<typeof openLibrary>>

/** Where the skills on the page come from. `samples` is the page's own library: what is kept in this browser, then the samples. */
export type Place =
  | { kind: 'samples' }
  | { kind: 'address'; address: string }
  | { kind: 'folder'; folder: Folder; source: SkillSource }

/** What the parts of the page have of each other. */
export interface Desk {
  /** What is open now: another one stands here once the bundled model is there. */
  readonly library: Library
  /** What stands in the message box. */
  message(): string
  /** Puts a message into the box, where the person can see it. */
  write(message: string): void
  /** Calls back whenever the message was answered. */
  onAnswer(listener: () => void, signal: AbortSignal): void
  /** Waits until these messages are answered as well as they can be: by every part of the bundled model that they need. */
  prepared(messages: readonly string[]): Promise<void>
  /** Takes what is dropped on the page, until the signal fires. */
  divertDrops(to: Diversion, signal: AbortSignal): void
  /** Opens a skill of the page's own library, whatever is open. */
  openOwn(id: string): void
}
