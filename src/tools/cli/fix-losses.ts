import { isDeepStrictEqual } from 'node:util'
import { Lexer } from 'yaml'
import { splitFrontmatter } from '../../skill/frontmatter.js'
import { parseSkill } from '../../skill/parse.js'
import type { ParsedSkill } from '../../skill/skill.js'

/** A text with what a reader makes of it. */
export interface Reading {
  text: string
  skill: ParsedSkill
}

/** What a correction is allowed to change. */
export interface Allowed {
  /** Keys that are renamed: the new key by the old one. */
  renamed?: ReadonlyMap<string, string>
  /** Words of fences that are removed, such as `yaml`. */
  words?: readonly string[]
}

/** The marker of a scalar among the tokens of the lexer. */
const SCALAR = '\u001f'

/** @param keep Fields that are right as they are. */
export async function readText(
  text: string,
  folder: string,
  keep: readonly string[],
): Promise<Reading> {
  return { text, skill: await parseSkill(text, { folder, allows: { fields: keep } }) }
}

/** What a correction would lose or change in a file, as the end of a sentence. `undefined`: nothing. */
export function findLoss(
  before: Reading,
  after: Reading,
  allowed: Allowed = {},
): string | undefined {
  // S13: the instructions, every field, every comment and every word stay, and no problem is new.
  const { renamed = new Map<string, string>(), words = [] } = allowed
  if (before.skill.body !== after.skill.body) return 'the instructions would change'
  const field = changedField(before.skill, after.skill, renamed)
  if (field !== undefined) return `${JSON.stringify(field)} would be read otherwise`
  if (missing(commentsOf(before.text), commentsOf(after.text)).length > 0) {
    return 'a comment would be lost'
  }
  const [word] = missing([...wordsOf(before.text)], [...wordsOf(after.text), ...words])
  if (word !== undefined) return `the word ${JSON.stringify(word)} would be lost`
  const [problem] = missing(problemsOf(after.skill), problemsOf(before.skill))
  return problem === undefined ? undefined : `the result would have the problem ${problem}`
}

/** The words of a text, in lower case: runs of letters and digits. */
export function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

/** The first field that is not read as before, or is new. */
function changedField(
  before: ParsedSkill,
  after: ParsedSkill,
  renamed: ReadonlyMap<string, string>,
): string | undefined {
  const old = Object.entries(before.fields).map(
    ([key, value]) => [renamed.get(key) ?? key, value] as const,
  )
  const now = Object.entries(after.fields)
  const [added] = now.filter(([key]) => !old.some(([name]) => name === key)).map(([key]) => key)
  const changed = firstChange(old, after.fields) ?? added
  if (changed !== undefined) return changed
  const metadata = firstChange(Object.entries(before.metadata), { ...after.metadata })
  if (metadata !== undefined) return metadata
  // A field that has its right name now may be read for the first time.
  return renamed.size > 0
    ? undefined
    : Object.keys(after.metadata).find(key => !Object.hasOwn(before.metadata, key))
}

function firstChange(
  old: readonly (readonly [key: string, value: unknown])[],
  now: Readonly<Record<string, unknown>>,
): string | undefined {
  return old.find(
    ([key, value]) => !Object.hasOwn(now, key) || !isDeepStrictEqual(now[key], value),
  )?.[0]
}

function commentsOf(text: string): string[] {
  const tokens = [...new Lexer().lex(splitFrontmatter(text).frontmatter)]
  return tokens
    .filter((token, index) => token.startsWith('#') && tokens[index - 1] !== SCALAR)
    .map(one => one.trim())
}

/** Codes of what is wrong with a skill, but for notes. */
function problemsOf({ diagnostics }: ParsedSkill): string[] {
  return diagnostics.filter(({ severity }) => severity !== 'info').map(({ code }) => code)
}

/** The entries of a list that another one has less often. */
function missing(wanted: readonly string[], given: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const one of given) counts.set(one, (counts.get(one) ?? 0) + 1)
  return wanted.filter(one => {
    const count = counts.get(one) ?? 0
    counts.set(one, count - 1)
    return count <= 0
  })
}
