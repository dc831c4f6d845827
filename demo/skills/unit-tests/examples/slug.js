/** Turns a title into the last part of an address, at most 40 characters. */
export function slug(title) {
  const words = title
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
  return words.slice(0, 40).replace(/^-+|-+$/g, '') || 'untitled'
}
