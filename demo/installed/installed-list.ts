import type { SkillSummary } from 'skillshelf'
import type { Library } from '../context.js'
import { make, makeButton } from '../dom.js'
import { nameOf } from '../names.js'
import { texts } from '../texts.js'
import { ownSkillHref } from '../url.js'

/** Skills that are listed at a time. */
const PAGE_SIZE = 200

export interface InstalledList {
  element: HTMLElement
  /** Lists the skills of the library. Rows that stay keep the focus. */
  show(library: Library): void
  /** Focuses a skill. */
  focus(id: string): void
}

interface InstalledListActions {
  open(id: string): void
  remove(skill: SkillSummary): Promise<void>
}

interface Row {
  element: HTMLElement
  link: HTMLElement
  size: HTMLElement
}

/**
 * The list of installed skills with name, description, size, and a remove button.
 * @param signal Aborts when the list is removed.
 */
export function installedList(
  { open, remove }: InstalledListActions,
  signal: AbortSignal,
): InstalledList {
  const element = make('ul', { class: 'installed-list', 'aria-label': texts.installed.title })
  const more = makeButton('', () => showMore(), { class: 'link more' })
  const last = make('li', {}, more)
  let rows = new Map<string, Row>()
  let limit = PAGE_SIZE
  let latest: Library | undefined
  let measurement = 0

  const createRow = (skill: SkillSummary): Row => {
    const { id, name, description } = skill
    const shown = nameOf(skill)
    const link = make('a', { class: 'name', href: ownSkillHref(id), dir: 'auto' }, shown)
    link.addEventListener('click', event => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return
      event.preventDefault()
      open(id)
    })
    const size = make('span', { class: 'size' })
    const onRemove = async (): Promise<void> => {
      button.disabled = true
      await remove(skill)
      button.disabled = false
    }
    const button = makeButton(texts.installed.remove, () => void onRemove(), {
      'aria-label': texts.installed.removeLabel(shown),
    })
    const title = make('p', {}, link, ' ', shown !== name && make('code', { class: 'alias' }, name))
    const text = make('p', { class: 'description', dir: 'auto' }, description)
    return { element: make('li', {}, title, text, size, button), link, size }
  }

  const show = (library: Library): void => {
    latest = library
    const { skills } = library.snapshot
    const known = rows
    rows = new Map(
      skills.slice(0, limit).map(skill => {
        const key = keyOf(skill)
        return [key, known.get(key) ?? createRow(skill)]
      }),
    )
    const rest = skills.length - rows.size
    more.textContent = texts.installed.more(Math.min(rest, PAGE_SIZE))
    const items = [...[...rows.values()].map(row => row.element), ...(rest > 0 ? [last] : [])]
    // Moving a row would take its focus away: rows that stay are not touched.
    for (const item of [...element.children]) {
      if (!items.includes(item as HTMLLIElement)) item.remove()
    }
    for (const [index, item] of items.entries()) {
      if (element.children[index] !== item) {
        element.insertBefore(item, element.children[index] ?? null)
      }
    }
    void showSizes(library, skills.slice(0, limit))
  }

  /** Fills in the sizes in sequence, because each needs a read. */
  const showSizes = async (library: Library, skills: readonly SkillSummary[]): Promise<void> => {
    const current = ++measurement
    for (const skill of skills) {
      const size = await sizeOf(library, skill.id).catch(() => undefined)
      if (current !== measurement || signal.aborted) return
      const row = rows.get(keyOf(skill))
      if (row && size !== undefined) row.size.textContent = texts.size(size)
    }
  }

  const showMore = (): void => {
    const before = element.children.length - 1
    limit += PAGE_SIZE
    if (latest) show(latest)
    element.children[before]?.querySelector('a')?.focus()
  }
  return {
    element,
    show,
    focus(id) {
      for (const [key, { link }] of rows) {
        if (key.startsWith(`${id} `)) link.focus()
      }
    },
  }
}

/** Changes with the content: an updated skill gets a new row. */
function keyOf({ id, digest }: SkillSummary): string {
  return `${id} ${digest}`
}

/** Bytes of all files of a skill. */
async function sizeOf(library: Library, id: string): Promise<number> {
  const { text, files } = await library.get(id)
  return files.reduce((sum, { size = 0 }) => sum + size, new TextEncoder().encode(text).length)
}
