/** Splits items into batches, in order, of at most so many items and bytes. A larger item is alone in its batch. */
export function batchesOf<T>(
  items: readonly T[],
  sizeOf: (item: T) => number,
  most: { items: number; bytes: number },
): T[][] {
  const batches: T[][] = []
  let room = 0
  for (const item of items) {
    const last = batches.at(-1)
    if (last && last.length < most.items && sizeOf(item) <= room) last.push(item)
    else {
      batches.push([item])
      room = most.bytes
    }
    room -= sizeOf(item)
  }
  return batches
}
