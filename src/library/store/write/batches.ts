/** Splits items into batches, in order, of at most so many items and bytes. A larger item is alone in its batch. */
export function batchesOf<T>(
  items: readonly T[],
  sizeOf: (item: T) => number,
  most: { items: number; bytes: number },
): T[][] {
  const batches: T[][] = []
  let bytes = 0
  for (const item of items) {
    const last = batches.at(-1)
    bytes += sizeOf(item)
    if (last && last.length < most.items && bytes <= most.bytes) last.push(item)
    else {
      batches.push([item])
      bytes = sizeOf(item)
    }
  }
  return batches
}
