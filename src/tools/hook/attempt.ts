/** Reads something of the file system. Gives `fallback` if it is missing or damaged: a prompt never fails. */
export function attempt<T, U>(read: () => T, fallback: U): T | U {
  try {
    return read()
  } catch {
    return fallback
  }
}
