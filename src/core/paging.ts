/**
 * One page of a list that is sorted by id. The cursor is the last id of the page before, so pages stay in order when the list changes.
 * @returns The items; `nextCursor` is absent on the last page.
 */
export function pageOf<Item extends { id: string }>(
  items: readonly Item[],
  cursor: string | undefined,
  size: number,
): { items: readonly Item[]; nextCursor?: string } {
  const rest = cursor === undefined ? items : items.filter(({ id }) => id > cursor)
  const page = rest.slice(0, size)
  const last = page.at(-1)
  return { items: page, ...(last && rest.length > page.length ? { nextCursor: last.id } : {}) }
}
