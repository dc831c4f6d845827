import { make } from './dom.js'

/** Saves a file on the user's device. */
export function saveAs(content: Blob, name: string): void {
  const href = URL.createObjectURL(content)
  make('a', { href, download: name }).click()
  // Once the download has begun.
  setTimeout(() => URL.revokeObjectURL(href))
}
