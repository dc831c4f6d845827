import type { Skill, SkillFile, SkillFileInfo } from 'skillshelf'
import { make } from './dom.js'
import { bytes } from './format.js'

/** Characters of a file that are shown; the rest can be downloaded. */
const SHOWN = 100_000

export interface FileList {
  element: HTMLElement
  /** Shows a file and puts the focus on it. */
  open(path: string): void
}

/**
 * The files of a skill, each read when it is first opened. Nothing is run: a script is text, an image is an image, the rest can be
 * downloaded.
 * @param signal Ends the list's life: what was read for it is released.
 */
export function fileList(skill: Skill, read: (path: string) => Promise<SkillFile>, signal: AbortSignal): FileList {
  const rows = new Map(skill.files.map(file => [file.path, fileRow(file, read, signal)]))
  return {
    element: make('ul', { class: 'files' }, ...[...rows.values()].map(row => row.element)),
    open(path) {
      const row = rows.get(path)
      if (!row) return
      row.open()
      row.button.focus()
      row.element.scrollIntoView({ block: 'start' })
    },
  }
}

function fileRow(
  file: SkillFileInfo,
  read: (path: string) => Promise<SkillFile>,
  signal: AbortSignal,
): { element: HTMLElement; button: HTMLButtonElement; open(): void } {
  const preview = make('div', { class: 'preview', hidden: '' })
  const button = make(
    'button',
    { type: 'button', class: 'file', 'aria-expanded': 'false' },
    make('span', { class: 'path', dir: 'auto' }, file.path),
    ' ',
    make('span', { class: 'kind' }, file.kind),
    ' ',
    make('span', { class: 'size' }, file.size === undefined ? '' : bytes(file.size)),
  )
  let asked = false
  const toggle = (shown: boolean): void => {
    preview.hidden = !shown
    button.setAttribute('aria-expanded', String(shown))
    if (!shown || asked) return
    asked = true
    preview.replaceChildren(make('p', { class: 'quiet' }, 'Reading…'))
    read(file.path).then(
      content => !signal.aborted && preview.replaceChildren(...previewOf(content, signal)),
      (error: unknown) => {
        asked = false
        preview.replaceChildren(make('p', { class: 'problem' }, error instanceof Error ? error.message : String(error)))
      },
    )
  }
  button.addEventListener('click', () => toggle(preview.hidden))
  return { element: make('li', {}, button, preview), button, open: () => toggle(true) }
}

function previewOf(file: SkillFile, signal: AbortSignal): Node[] {
  const name = file.path.slice(file.path.lastIndexOf('/') + 1)
  // Of no type that a browser opens: in a new tab too it is a download.
  const link = make(
    'a',
    { class: 'download', href: blobAddress(file.bytes, 'application/octet-stream', signal), download: name },
    `Download ${name}`,
  )
  if (file.kind === 'image') {
    const image = make('img', { src: blobAddress(file.bytes, file.mediaType, signal), alt: file.path })
    image.addEventListener('error', () => image.replaceWith(make('p', { class: 'quiet' }, 'It cannot be shown here.')))
    return [image, link]
  }
  if (file.text === undefined) return [make('p', { class: 'quiet' }, `${file.mediaType}, not text`), link]
  const cut = file.text.length > SHOWN
  return [
    make('pre', { tabindex: '0', 'aria-label': file.path }, cut ? file.text.slice(0, SHOWN) : file.text),
    ...(cut ? [make('p', { class: 'quiet' }, 'This is the beginning; the download has all of it.')] : []),
    link,
  ]
}

function blobAddress(content: Uint8Array<ArrayBuffer>, type: string, signal: AbortSignal): string {
  const address = URL.createObjectURL(new Blob([content], { type }))
  signal.addEventListener('abort', () => URL.revokeObjectURL(address), { once: true })
  return address
}
