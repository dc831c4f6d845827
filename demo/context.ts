import type { openLibrary, SkillSource } from 'skillshelf'
import type { DropTarget } from './library/drop-zone.js'
import type { Folder } from './library/folder.js'

/** The name of the source of installed skills. Their ids begin with it. */
export const INSTALLED = 'installed'

/** An open library. It can be upgraded with an embedder. */
export type Library = Awaited<ReturnType<typeof openLibrary>>

/** Where a library comes from. `samples` is the page's own library: the installed skills, then the samples. */
export type LibraryLocation =
  | { kind: 'samples' }
  | LibraryPart
  | { kind: 'several'; parts: readonly LibraryPart[] }

/** A library that can be opened together with others. */
export type LibraryPart =
  | { kind: 'address'; address: string }
  | { kind: 'github'; repository: string; source: SkillSource }
  | { kind: 'folder'; folder: Folder; source: SkillSource }

/** Whether a link lacks skills that are open, because they are on this computer. */
export function isLocal(location: LibraryLocation): boolean {
  return location.kind === 'several' ? location.parts.some(isLocal) : location.kind === 'folder'
}

/** The parts of the page that the details panel uses. */
export interface PageContext {
  /** The open library. It is replaced once the bundled model is ready. */
  readonly library: Library
  readonly location: LibraryLocation
  /** The URL of the samples. */
  readonly samples: URL
  /** The text in the search box. */
  message(): string
  /** The message that the page answers: that in the search box, or while it is empty that of the demonstration. `''`: none. */
  answeredMessage(): string
  /** Fills in the search box and shows it. */
  setMessage(message: string): void
  /** Calls `listener` after every search. */
  onSearch(listener: () => void, signal: AbortSignal): void
  /** Resolves once the bundled model has loaded every part that these messages need. */
  prepareModel(messages: readonly string[]): Promise<void>
  /** Sends drops on the page to `target` until the signal aborts. */
  redirectDrops(target: DropTarget, signal: AbortSignal): void
  /** Opens a skill of the page's own library, whichever library is open. */
  openOwnSkill(id: string): void
  /** Asks for a library, and opens it beside the one that is open. The samples are replaced. */
  addLibrary(): void
}
