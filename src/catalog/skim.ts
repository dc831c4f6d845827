import { trySafePath } from '../core/paths.js'

/** What is known of a catalog before any of its entries is made. */
export interface Skimmed {
  /** All but the skills, as JSON. */
  head: string
  /** Of each skill, in order. */
  paths: readonly string[]
}

const STRING = String.raw`"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-f]{4})[^"\\\u0000-\u001f]*)*"`
const DIGEST = '"sha256:[0-9a-f]{64}"'
const HEAD_END = ',"skills":[\n'
const END = '\n]}\n'

/** One skill, as `writeCatalog` writes it: what fits is an entry that nothing is wrong with. Disabled skills are left to a closer look. */
const line = new RegExp(
  [
    String.raw`\{"path":"([^"\\\u0000-\u001f]*)"`,
    `,"name":${STRING}`,
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
 * Looks over a catalog without making its entries, which is most of what opening a large one takes. `undefined` where anything in it is not
 * just as `writeCatalog` writes it: then it has to be read.
 */
export function skim(text: string): Skimmed | undefined {
  const from = text.indexOf(HEAD_END)
  const end = text.length - END.length
  if (from < 0 || !text.endsWith(END)) return undefined
  const paths: string[] = []
  line.lastIndex = from + HEAD_END.length
  while (line.lastIndex < end) {
    const [, path] = line.exec(text) ?? []
    if (path === undefined || (path !== '' && trySafePath(path) !== path)) return undefined
    paths.push(path)
  }
  const whole = paths.length === 0 || text[end - 1] === '}'
  return whole && new Set(paths).size === paths.length ? { head: `${text.slice(0, from)}}`, paths } : undefined
}
