import { SkillshelfError } from './errors.js'

/** One page of a list that is sorted by id. The cursor is the last id of the page before; `nextCursor` is absent on the last page. */
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

/** Reads pages until there is no next one. @throws SkillshelfError `source-failed`, with `name`, if a cursor comes a second time */
export async function* allPages<Page extends { next?: string | undefined }>(
  name: string,
  read: (cursor: string | undefined) => Promise<Page>,
): AsyncGenerator<Page, void> {
  const cursors = new Set<string>()
  for (let cursor: string | undefined; ; cursors.add(cursor)) {
    const page = await read(cursor)
    yield page
    cursor = page.next
    if (cursor === undefined) return
    if (cursors.has(cursor)) {
      throw new SkillshelfError('source-failed', `${name} answers with the same page again`, {
        subject: name,
      })
    }
  }
}
