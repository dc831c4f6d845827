import type { LibraryInput } from './input.js'

/**
 * Several places as one library, the first on top: `openLibrary(layered([mine, 'https://example.com/skills/']))`. A skill hides those of
 * the same name below it; they are reported and can still be opened by their ids. A place that cannot be read hides no other.
 * It is what `openLibrary` takes, not a source: each place keeps its own name, version and packed form.
 */
export function layered(sources: readonly LibraryInput[]): { sources: readonly LibraryInput[] } {
  return { sources }
}
