import type { Diagnostic } from './diagnostics.js'

/** The file that Git writes in place of a large file, by the specification of Git LFS. */
const POINTER = /^version https:\/\/(?:git-lfs\.github\.com|hawser\.github\.com)\/spec\//
/** The specification allows fewer. */
const MAX_BYTES = 1_024
const START = 64

/** Whether a text begins as a pointer of Git LFS. */
export function isLfsPointer(text: string): boolean {
  return POINTER.test(text)
}

/** Reports a file of a skill that is a pointer of Git LFS. `undefined`: it is none. */
export function pointerDiagnostic(path: string, bytes: Uint8Array): Diagnostic | undefined {
  const isPointer =
    bytes.length < MAX_BYTES && isLfsPointer(new TextDecoder().decode(bytes.subarray(0, START)))
  if (!isPointer) return undefined
  return {
    code: 'file-not-there',
    severity: 'error',
    message: `${path} is a pointer of Git LFS, not the file itself`,
    path,
    hint: 'run git lfs pull',
  }
}

/** Whether a file of this size can be a pointer. */
export function mayBePointer(size: number | undefined): boolean {
  return size === undefined || size < MAX_BYTES
}
