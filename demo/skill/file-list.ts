import type { SkillFile, SkillFileInfo } from 'skillshelf'
import { make, makeButton, messageOf } from '../dom.js'
import { texts } from '../texts.js'
import { filePreview } from './file-preview.js'

/** Folders are open at first in a skill with at most this many files. */
const MAX_EXPANDED = 40
/** Files of one folder that are listed at a time. */
const PAGE_SIZE = 300

export interface FileList {
  element: HTMLElement
  /** Shows a file and focuses it. */
  open(path: string): void
}

interface Folder {
  folders: Map<string, Folder>
  files: SkillFileInfo[]
  /** Number of files at every depth. */
  total: number
}

/** A file or a folder: a button and the content that it shows. */
interface Row {
  element: HTMLElement
  button: HTMLButtonElement
  open(): void
}

/**
 * The files of a skill as a tree. Folders are rendered when they are opened, and files are read then.
 * @param onToggle Called with the file that was opened, and with `undefined` when one is closed.
 * @param signal Aborts when the list is removed.
 */
export function fileList(
  files: readonly SkillFileInfo[],
  read: (path: string) => Promise<SkillFile>,
  onToggle: (path: string | undefined) => void,
  signal: AbortSignal,
): FileList {
  const rows = new Map<string, Row>()
  const expanded = files.length <= MAX_EXPANDED

  const fill = (list: HTMLElement, folder: Folder, prefix: string): void => {
    const items: (() => HTMLElement)[] = [
      ...[...folder.folders].map(
        ([name, child]) =>
          () =>
            folderRow(name, child, prefix).element,
      ),
      ...folder.files.map(file => () => {
        const row = fileRow(file, prefix, read, onToggle, signal)
        rows.set(file.path, row)
        return row.element
      }),
    ]
    const addPage = (from: number): void => {
      list.append(...items.slice(from, from + PAGE_SIZE).map(create => create()))
      const rest = items.length - from - PAGE_SIZE
      if (rest <= 0) return
      const showMore = (): void => {
        last.remove()
        const before = list.children.length
        addPage(from + PAGE_SIZE)
        list.children[before]?.querySelector('button')?.focus()
      }
      const label = texts.files.more(Math.min(rest, PAGE_SIZE))
      const last = make('li', {}, makeButton(label, showMore, { class: 'link more' }))
      list.append(last)
    }
    addPage(0)
  }

  const folderRow = (name: string, folder: Folder, prefix: string): Row => {
    const path = `${prefix}${name}/`
    const list = make('ul', { class: 'files nested' })
    const row = disclosure(
      prefix,
      `${name}/`,
      ['', texts.files.inFolder(folder.total)],
      list,
      open => {
        if (open && list.children.length === 0) fill(list, folder, path)
      },
    )
    row.button.classList.add('folder')
    rows.set(path, row)
    if (expanded) row.open()
    return row
  }

  const element = make('ul', { class: 'files' })
  fill(element, fileTree(files), '')
  return {
    element,
    open(path) {
      for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1)) {
        rows.get(path.slice(0, end + 1))?.open()
      }
      while (!rows.has(path)) {
        const more = element.querySelector<HTMLButtonElement>('.more')
        if (!more) return
        more.click()
      }
      const row = rows.get(path)
      row?.open()
      row?.button.focus()
      if (row) scrollTo(row.element, element.parentElement)
    },
  }
}

/** Beside the instructions, the list scrolls, and the page stays. */
function scrollTo(row: HTMLElement, section: HTMLElement | null): void {
  if (section && getComputedStyle(section).position === 'sticky') {
    section.scrollTop += row.getBoundingClientRect().top - section.getBoundingClientRect().top
  } else row.scrollIntoView({ block: 'start' })
}

function fileTree(files: readonly SkillFileInfo[]): Folder {
  const emptyFolder = (): Folder => ({ folders: new Map(), files: [], total: 0 })
  const root = emptyFolder()
  for (const file of files) {
    let folder = root
    folder.total++
    for (const name of file.path.split('/').slice(0, -1)) {
      const child = folder.folders.get(name) ?? emptyFolder()
      folder.folders.set(name, child)
      folder = child
      folder.total++
    }
    folder.files.push(file)
  }
  return root
}

function fileRow(
  file: SkillFileInfo,
  prefix: string,
  read: (path: string) => Promise<SkillFile>,
  onToggle: (path: string | undefined) => void,
  signal: AbortSignal,
): Row {
  const preview = make('div', { class: 'preview' })
  const facts = [texts.files.kinds[file.kind], file.size === undefined ? '' : texts.size(file.size)]
  let requested = false
  return disclosure(prefix, file.path.slice(prefix.length), facts, preview, open => {
    onToggle(open ? file.path : undefined)
    if (requested || !open) return
    requested = true
    preview.replaceChildren(make('p', { class: 'muted' }, texts.files.reading))
    read(file.path).then(
      content => !signal.aborted && preview.replaceChildren(...filePreview(content, signal)),
      (error: unknown) => {
        requested = false
        preview.replaceChildren(make('p', { class: 'problem', lang: 'en' }, messageOf(error)))
      },
    )
  })
}

/** @param onToggle Called each time the row is opened or closed. */
function disclosure(
  prefix: string,
  name: string,
  facts: readonly string[],
  content: HTMLElement,
  onToggle: (open: boolean) => void,
): Row {
  content.hidden = true
  const [kind = '', size = ''] = facts
  const button = make(
    'button',
    {
      type: 'button',
      class: 'file',
      'aria-expanded': 'false',
      // Screen readers get the whole path: the enclosing folders may be far away.
      'aria-label': prefix === '' ? undefined : [prefix + name, ...facts].filter(Boolean).join(' '),
    },
    make('span', { class: 'path', dir: 'auto' }, name),
    ' ',
    make('span', { class: 'kind' }, kind),
    ' ',
    make('span', { class: 'size' }, size),
  )
  const toggle = (open: boolean): void => {
    content.hidden = !open
    button.setAttribute('aria-expanded', String(open))
    onToggle(open)
  }
  button.addEventListener('click', () => toggle(content.hidden !== false))
  return { element: make('li', {}, button, content), button, open: () => toggle(true) }
}
