import type { LibraryLocation, LibraryPart } from '../context.js'

/** The libraries of a location. None for the samples. */
export function partsOf(location: LibraryLocation): readonly LibraryPart[] {
  if (location.kind === 'samples') return []
  return location.kind === 'several' ? location.parts : [location]
}

/** The name of a library for the reader. */
export function partName(part: LibraryPart): string {
  if (part.kind === 'address') return part.address
  return part.kind === 'github' ? part.repository : part.folder.name
}
