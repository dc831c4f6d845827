import type { SkillFile } from 'skillshelf'
import { make } from '../dom.js'
import { texts } from '../texts.js'

/** Characters of a text file that are shown. */
const MAX_LENGTH = 100_000

/**
 * The content of a file with a download link. Nothing runs: scripts are shown as text, images as images.
 * @param signal Aborts when the preview is removed; its blob URLs are then revoked.
 */
export function filePreview(file: SkillFile, signal: AbortSignal): Node[] {
  const name = file.path.slice(file.path.lastIndexOf('/') + 1)
  // The media type keeps browsers from opening the file in a tab, where a script in it would run.
  const link = make(
    'a',
    {
      class: 'download',
      href: blobUrl(file.bytes, 'application/octet-stream', signal),
      download: name,
    },
    texts.files.download(name),
  )
  if (file.kind === 'image') {
    const url = blobUrl(file.bytes, file.mediaType, signal)
    const image = make('img', { src: url, alt: file.path })
    const revoke = (): void => URL.revokeObjectURL(url)
    // S4: in a tab of its own, an SVG is a document of this origin: its scripts would run, and it could make requests. In an image it can do
    // neither, and once that has loaded, its address opens nothing.
    if (file.mediaType === 'image/svg+xml') image.addEventListener('load', revoke)
    image.addEventListener('error', () => {
      revoke()
      image.replaceWith(make('p', { class: 'muted' }, texts.files.noImage))
    })
    return [image, link]
  }
  if (file.text === undefined) {
    return [make('p', { class: 'muted' }, texts.files.notText(file.mediaType)), link]
  }
  return [
    make(
      'pre',
      { tabindex: '0', role: 'group', 'aria-label': file.path },
      file.text.slice(0, MAX_LENGTH),
    ),
    ...(file.text.length > MAX_LENGTH
      ? [make('p', { class: 'muted' }, texts.files.truncated)]
      : []),
    link,
  ]
}

function blobUrl(content: Uint8Array<ArrayBuffer>, type: string, signal: AbortSignal): string {
  const url = URL.createObjectURL(new Blob([content], { type }))
  signal.addEventListener('abort', () => URL.revokeObjectURL(url), { once: true })
  return url
}
