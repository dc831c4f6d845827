import { trySafePath } from '../core/paths.js'

/** The parts of a catalog that are known without parsing its entries. */
export interface CatalogScan {
  /** The catalog without its skills, as JSON. */
  head: string
  /** The path and name of each skill, in order. */
  paths: readonly string[]
  names: readonly string[]
}

const STRING = String.raw`"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-f]{4})[^"\\\u0000-\u001f]*)*"`
const DIGEST = '"sha256:[0-9a-f]{64}"'
const HEAD_END = ',"skills":[\n'
const END = '\n]}\n'

/** A valid, enabled entry exactly as `writeCatalog` writes it. */
const ENTRY = new RegExp(
  [
    String.raw`\{"path":"([^"\\\u0000-\u001f]*)"`,
    `,"name":(${STRING})`,
    `(?:,"displayName":${STRING})?`,
    `,"description":${STRING}`,
    String.raw`(?:,"tags":\[${STRING}(?:,${STRING})*\])?`,
    `,"digest":${DIGEST},"details":${DIGEST}`,
    String.raw`,"tokens":\[\d{1,9},\d{1,9}\]`,
    String.raw`(?:,"inferred":\["(?:name|description)"(?:,"description")?\])?`,
    '(?:,"disableModelInvocation":true)?(?:,"userInvocable":false)?',
    String.raw`\}(?:,\n|(?=\n\]\}\n$))`,
  ].join(''),
  'y',
)

/**
 * Validates a catalog without parsing its entries, which takes most of the time that opening a large library takes.
 * @returns `undefined` if any entry is disabled or differs from the form that `writeCatalog` writes; then the catalog must be parsed.
 */
export function scanCatalog(text: string): CatalogScan | undefined {
  const from = text.indexOf(HEAD_END)
  const end = text.length - END.length
  if (from < 0 || !text.endsWith(END)) return undefined
  const paths: string[] = []
  const names: string[] = []
  ENTRY.lastIndex = from + HEAD_END.length
  while (ENTRY.lastIndex < end) {
    const [, path, name] = ENTRY.exec(text) ?? []
    if (path === undefined || name === undefined || (path !== '' && trySafePath(path) !== path)) return undefined
    paths.push(path)
    names.push(name.includes('\\') ? (JSON.parse(name) as string) : name.slice(1, -1))
  }
  const complete = paths.length === 0 || text[end - 1] === '}'
  return complete && new Set(paths).size === paths.length
    ? { head: `${text.slice(0, from)}}`, paths, names }
    : undefined
}
