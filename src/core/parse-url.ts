/** Parses an address; `undefined` if it is none. Browsers of 2023 have neither `URL.parse` nor `URL.canParse`. */
export function parseUrl(address: string, base?: string): URL | undefined {
  try {
    return new URL(address, base)
  } catch {
    return undefined
  }
}
