/** Groups by a key, in the order of the first of each group. Leaves out what has none. */
export function groupBy<T, Key extends string>(
  all: readonly T[],
  keyOf: (one: T) => Key | undefined,
): Map<Key, T[]> {
  const groups = new Map<Key, T[]>()
  for (const one of all) {
    const key = keyOf(one)
    if (key === undefined) continue
    const group = groups.get(key)
    if (group) group.push(one)
    else groups.set(key, [one])
  }
  return groups
}
