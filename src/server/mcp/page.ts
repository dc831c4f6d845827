import type { SkillId } from '../../skill/skill.js'

/** One page of a list that is sorted by id. The cursor is the last id of the page before, so pages stay in order when skills change. */
export function pageOf<Item extends { id: SkillId }>(
  items: readonly Item[],
  cursor: string | undefined,
  size: number,
): { items: Item[]; nextCursor: string | undefined } {
  const rest = cursor === undefined ? items : items.filter(({ id }) => id > cursor)
  const page = rest.slice(0, size)
  return { items: page, nextCursor: rest.length > page.length ? page.at(-1)?.id : undefined }
}
