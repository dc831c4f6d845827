/** Arguments that a call takes, well under what any engine allows. */
const PART = 0x8000

export function toBase64(bytes: Uint8Array): string {
  let binary = ''
  for (let from = 0; from < bytes.length; from += PART)
    binary += String.fromCharCode(...bytes.subarray(from, from + PART))
  return btoa(binary)
}

/** @throws where the text is no base64 */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), letter => letter.charCodeAt(0))
}
