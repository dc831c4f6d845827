import type { SkillLibrary } from 'skillshelf'
import type { Folder } from './folder.js'

/** Where the skills on the page come from. */
export type Place = { kind: 'samples' } | { kind: 'address'; address: string } | { kind: 'folder'; folder: Folder }

/** What the parts of the page have of each other. */
export interface Desk {
  readonly library: SkillLibrary
  /** What stands in the message box. */
  message(): string
  /** Puts a message into the box, where the person can see it. */
  write(message: string): void
  /** Calls back whenever the message was answered. */
  onAnswer(listener: () => void, signal: AbortSignal): void
}
