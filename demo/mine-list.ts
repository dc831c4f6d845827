import type { SkillSummary } from 'skillshelf'
import type { Library } from './desk.js'
import { make } from './dom.js'
import { ownHref } from './route.js'
import { texts } from './texts.js'

/** Skills that are listed at a time. */
const LISTED = 200

export interface MineList {
  element: HTMLElement
  /** Shows what there is now; who is on a line stays there. */
  show(library: Library): void
  /** Puts the focus on a skill. */
  focus(id: string): void
}

interface MineActions {
  open(id: string): void
  remove(skill: SkillSummary): Promise<void>
}

/** A line of the list. */
interface Row {
  element: HTMLElement
  link: HTMLElement
  size: HTMLElement
}

/**
 * The kept skills: name, description, size, and a way out.
 * @param signal Ends its life.
 */
export function mineList({ open, remove }: MineActions, signal: AbortSignal): MineList {
  const element = make('ul', { class: 'kept', 'aria-label': texts.mine.title })
  const more = make('button', { type: 'button', class: 'link more' })
  const rest = make('li', {}, more)
  let rows = new Map<string, Row>()
  let shown = LISTED
  let latest: Library | undefined
  let turn = 0

  const rowOf = (skill: SkillSummary): Row => {
    const { id, name, displayName = name, description } = skill
    const link = make('a', { class: 'name', href: ownHref(id), dir: 'auto' }, displayName)
    link.addEventListener('click', event => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return
      event.preventDefault()
      open(id)
    })
    const size = make('span', { class: 'size' })
    const button = make(
      'button',
      { type: 'button', class: 'button', 'aria-label': texts.mine.removeOf(displayName) },
      texts.mine.remove,
    )
    button.addEventListener('click', async () => {
      button.disabled = true
      await remove(skill)
      button.disabled = false
    })
    const title = make('p', {}, link, ' ', displayName !== name && make('code', { class: 'alias' }, name))
    const text = make('p', { class: 'description', dir: 'auto' }, description)
    return { element: make('li', {}, title, text, size, button), link, size }
  }

  const show = (library: Library): void => {
    latest = library
    const { skills } = library.snapshot
    const known = rows
    rows = new Map(
      skills.slice(0, shown).map(skill => {
        // A skill that was replaced has another line.
        const key = `${skill.id} ${skill.digest}`
        return [key, known.get(key) ?? rowOf(skill)]
      }),
    )
    const left = skills.length - rows.size
    more.textContent = texts.mine.more(Math.min(left, LISTED))
    const wanted = [...[...rows.values()].map(row => row.element), ...(left > 0 ? [rest] : [])]
    // Lines that stay are not touched: they would lose the focus.
    for (const line of [...element.children]) if (!wanted.includes(line as HTMLLIElement)) line.remove()
    for (const [at, line] of wanted.entries())
      if (element.children[at] !== line) element.insertBefore(line, element.children[at] ?? null)
    void measure(library, skills.slice(0, shown))
  }

  /** How large each is, one after the other: a long list is there before. */
  const measure = async (library: Library, skills: readonly SkillSummary[]): Promise<void> => {
    const mine = ++turn
    for (const { id, digest } of skills) {
      const size = await sizeOf(library, id).catch(() => undefined)
      if (mine !== turn || signal.aborted) return
      const row = rows.get(`${id} ${digest}`)
      if (row && size !== undefined) row.size.textContent = texts.size(size)
    }
  }

  more.addEventListener('click', () => {
    const before = element.children.length - 1
    shown += LISTED
    if (latest) show(latest)
    element.children[before]?.querySelector('a')?.focus()
  })
  return {
    element,
    show,
    focus(id) {
      for (const [key, { link }] of rows) if (key.startsWith(`${id} `)) link.focus()
    },
  }
}

/** Bytes of all its files. */
async function sizeOf(library: Library, id: string): Promise<number> {
  const { text, files } = await library.get(id)
  return files.reduce((sum, { size = 0 }) => sum + size, new TextEncoder().encode(text).length)
}
