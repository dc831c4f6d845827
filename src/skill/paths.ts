/** Paths of a skill that are read, and characters of each. S6: each is compared with the files of a message. */
export const MAX_PATHS = 100
export const MAX_PATH = 256

/** The paths that are read. Longer ones, and those after the first 100, are ignored. */
export function limitPaths(paths: readonly string[]): string[] {
  return paths.filter(path => path.length <= MAX_PATH).slice(0, MAX_PATHS)
}
