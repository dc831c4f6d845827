/** Made when it is first asked for, and kept. What fails is tried again by the next who asks. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
