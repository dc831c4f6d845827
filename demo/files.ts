import type { SkillFile, SkillFileInfo } from 'skillshelf'
import { make } from './dom.js'
import { type FileFolder, fileTree } from './file-tree.js'
import { previewOf } from './preview.js'
import { texts } from './texts.js'

/** Where there are more files than this, folders are closed at first. */
const OPEN_AT_FIRST = 40
/** Files of one folder that are listed at a time. */
const LISTED = 300

export interface FileList {
  element: HTMLElement
  /** Shows a file and puts the focus on it. */
  open(path: string): void
}

/** A file or a folder: a line that opens. */
interface Row {
  element: HTMLElement
  button: HTMLButtonElement
  open(): void
}

/**
 * The files of a skill, in its folders. What a folder holds is laid out when it is opened, and a file is read then.
 * @param signal Ends the list's life.
 */
export function fileList(
  files: readonly SkillFileInfo[],
  read: (path: string) => Promise<SkillFile>,
  signal: AbortSignal,
): FileList {
  const rows = new Map<string, Row>()
  const folderOpen = files.length <= OPEN_AT_FIRST

  const fill = (list: HTMLElement, folder: FileFolder, prefix: string): void => {
    const lines: (() => HTMLElement)[] = [
      ...[...folder.folders].map(
        ([name, inner]) =>
          () =>
            folderRow(name, inner, prefix).element,
      ),
      ...folder.files.map(file => () => {
        const row = fileRow(file, prefix, read, signal)
        rows.set(file.path, row)
        return row.element
      }),
    ]
    const add = (from: number): void => {
      list.append(...lines.slice(from, from + LISTED).map(line => line()))
      const rest = lines.length - from - LISTED
      if (rest <= 0) return
      const more = make('button', { type: 'button', class: 'link more' }, texts.files.more(Math.min(rest, LISTED)))
      const item = make('li', {}, more)
      more.addEventListener('click', () => {
        item.remove()
        const before = list.children.length
        add(from + LISTED)
        list.children[before]?.querySelector('button')?.focus()
      })
      list.append(item)
    }
    add(0)
  }

  const folderRow = (name: string, folder: FileFolder, prefix: string): Row => {
    const path = `${prefix}${name}/`
    const list = make('ul', { class: 'files inner' })
    const row = disclosure(prefix, `${name}/`, ['', texts.files.inFolder(folder.amount)], list, () => {
      if (list.children.length === 0) fill(list, folder, path)
    })
    row.button.classList.add('folder')
    rows.set(path, row)
    if (folderOpen) row.open()
    return row
  }

  const element = make('ul', { class: 'files' })
  fill(element, fileTree(files), '')
  return {
    element,
    open(path) {
      for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) rows.get(path.slice(0, at + 1))?.open()
      // Of a long folder not all are laid out.
      while (!rows.has(path)) {
        const more = element.querySelector<HTMLButtonElement>('.more')
        if (!more) return
        more.click()
      }
      const row = rows.get(path)
      row?.open()
      row?.button.focus()
      row?.element.scrollIntoView({ block: 'start' })
    },
  }
}

function fileRow(
  file: SkillFileInfo,
  prefix: string,
  read: (path: string) => Promise<SkillFile>,
  signal: AbortSignal,
): Row {
  const preview = make('div', { class: 'preview' })
  const facts = [texts.files.kinds[file.kind], file.size === undefined ? '' : texts.size(file.size)]
  let asked = false
  return disclosure(prefix, file.path.slice(prefix.length), facts, preview, () => {
    if (asked) return
    asked = true
    preview.replaceChildren(make('p', { class: 'quiet' }, texts.files.reading))
    read(file.path).then(
      content => !signal.aborted && preview.replaceChildren(...previewOf(content, signal)),
      (error: unknown) => {
        asked = false
        const message = error instanceof Error ? error.message : String(error)
        preview.replaceChildren(make('p', { class: 'problem', lang: 'en' }, message))
      },
    )
  })
}

/** @param fill Called whenever it is opened. */
function disclosure(
  prefix: string,
  name: string,
  facts: readonly string[],
  content: HTMLElement,
  fill: () => void,
): Row {
  content.hidden = true
  const [kind = '', size = ''] = facts
  const button = make(
    'button',
    {
      type: 'button',
      class: 'file',
      'aria-expanded': 'false',
      // Read out whole: the folders above may be far away.
      'aria-label': prefix === '' ? undefined : [prefix + name, ...facts].filter(Boolean).join(' '),
    },
    make('span', { class: 'path', dir: 'auto' }, name),
    ' ',
    make('span', { class: 'kind' }, kind),
    ' ',
    make('span', { class: 'size' }, size),
  )
  const toggle = (shown: boolean): void => {
    content.hidden = !shown
    button.setAttribute('aria-expanded', String(shown))
    if (shown) fill()
  }
  button.addEventListener('click', () => toggle(content.hidden))
  return { element: make('li', {}, button, content), button, open: () => toggle(true) }
}
