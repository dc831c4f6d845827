/** The first item of each key, in order. */
export function uniqueBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Item[] {
  const first = new Map<Key, Item>()
  for (const item of items) {
    const key = keyOf(item)
    if (!first.has(key)) first.set(key, item)
  }
  return [...first.values()]
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
