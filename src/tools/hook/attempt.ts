/** Reads something of the file system. What is missing or damaged has a `fallback`: a prompt never fails. */
export function attempt<T, U>(read: () => T, fallback: U): T | U {
  try {
    return read()
  } catch {
    return fallback
  }
}
