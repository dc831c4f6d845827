import type { SkillFile } from 'skillshelf'
import { make } from './dom.js'
import { texts } from './texts.js'

/** Characters of a file that are shown; the rest can be downloaded. */
const SHOWN = 100_000

/**
 * A file, as it can be shown. Nothing is run: a script is text, an image is an image, the rest can be downloaded.
 * @param signal Ends its life: what was kept for it is released.
 */
export function previewOf(file: SkillFile, signal: AbortSignal): Node[] {
  const name = file.path.slice(file.path.lastIndexOf('/') + 1)
  // Of no type that a browser opens: in a new tab too it is a download.
  const link = make(
    'a',
    { class: 'download', href: blobAddress(file.bytes, 'application/octet-stream', signal), download: name },
    texts.files.download(name),
  )
  if (file.kind === 'image') {
    const image = make('img', { src: blobAddress(file.bytes, file.mediaType, signal), alt: file.path })
    image.addEventListener('error', () => image.replaceWith(make('p', { class: 'quiet' }, texts.files.noImage)))
    return [image, link]
  }
  if (file.text === undefined) return [make('p', { class: 'quiet' }, texts.files.notText(file.mediaType)), link]
  const cut = file.text.length > SHOWN
  return [
    make('pre', { tabindex: '0', role: 'group', 'aria-label': file.path }, cut ? file.text.slice(0, SHOWN) : file.text),
    ...(cut ? [make('p', { class: 'quiet' }, texts.files.cut)] : []),
    link,
  ]
}

function blobAddress(content: Uint8Array<ArrayBuffer>, type: string, signal: AbortSignal): string {
  const address = URL.createObjectURL(new Blob([content], { type }))
  signal.addEventListener('abort', () => URL.revokeObjectURL(address), { once: true })
  return address
}
