/** Operators, redirections, substitutions and line breaks. They are refused even inside quotes, where a wrong reading would be worst. */
const OPERATOR = /[;&|<>`\r\n]|\$\(/
/** Blanks that only some shells split at, and controls. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const ODD_BLANK = /[^\S \t]|[\u0000-\u0008\u000e-\u001f\u007f\u0085]/
/** Variables whose values are paths or names without blanks, and that no command of a model sets. */
const VARIABLE = /^\$(?:HOME|USER|LOGNAME|TMPDIR)(?![A-Za-z0-9_])/
/** Braces that are text: `HEAD@{1}`, `stash@{0}`, `@{u}`. */
const PLAIN_BRACES = /^\{[\w-]*\}/

/**
 * Reads a command as a list of plain words, without their quotes. `undefined`: it is more than that, or shells may read it in several ways.
 *
 * It follows the quoting of POSIX and refuses what a shell could expand to something else: operators, redirections, substitutions,
 * variables but a few, `$'…'`, braces with alternatives, parentheses outside quotes, history (`!`), `=command` of zsh, and words that
 * start with a wildcard, because the name of a file may be an option. A variable is read as nothing: what follows it may start the word.
 */
export function readShellWords(command: string): string[] | undefined {
  if (OPERATOR.test(command) || ODD_BLANK.test(command)) return undefined
  const words: string[] = []
  let at = 0
  while (at < command.length) {
    if (isBlank(command[at])) {
      at++
      continue
    }
    const word = readWord(command, at)
    if (!word) return undefined
    words.push(word.text)
    at = word.end
  }
  return words
}

/** @returns `undefined` for a word that is not plain. */
function readWord(command: string, start: number): Part | undefined {
  let text = ''
  /** What is before the first wildcard. */
  let fixed: string | undefined
  let at = start
  while (at < command.length && !isBlank(command[at])) {
    const part = readPart(command, at, at === start)
    if (!part) return undefined
    if (part.isGlob) fixed ??= text
    text += part.text
    at = part.end
  }
  // A file may be named like an option. Behind `=`, its name is a value.
  const mayBeOption =
    fixed === '' || fixed === '~' || (fixed?.startsWith('-') && !fixed.includes('='))
  return mayBeOption ? undefined : { text, end: at }
}

interface Part {
  text: string
  end: number
  isGlob?: boolean
}

/** Reads a quoted part of a word, or one character. */
function readPart(command: string, at: number, isFirst: boolean): Part | undefined {
  const one = command[at] as string
  if (one === "'") {
    const close = command.indexOf("'", at + 1)
    // For fish, a backslash before the quote keeps it open.
    return close < 0 || command[close - 1] === '\\'
      ? undefined
      : { text: command.slice(at + 1, close), end: close + 1 }
  }
  if (one === '"') return readDoubleQuoted(command, at + 1)
  if (one === '\\') {
    return at + 1 < command.length ? { text: command[at + 1] as string, end: at + 2 } : undefined
  }
  if (one === '$') return readDollar(command, at, false)
  if (one === '!') return isPlainMark(command, at) ? { text: one, end: at + 1 } : undefined
  if (one === '{') {
    const [braces] = PLAIN_BRACES.exec(command.slice(at, at + 100)) ?? []
    return braces === undefined || isFirst ? undefined : { text: braces, end: at + braces.length }
  }
  if (one === '(' || one === ')' || (one === '=' && isFirst)) return undefined
  return { text: one, end: at + 1, isGlob: /[*?[^]/.test(one) }
}

function readDoubleQuoted(command: string, start: number): Part | undefined {
  let text = ''
  let at = start
  while (at < command.length) {
    const one = command[at] as string
    if (one === '"') return { text, end: at + 1 }
    const isEscape = one === '\\' && /["\\$]/.test(command[at + 1] ?? '')
    const part = isEscape
      ? { text: command[at + 1] as string, end: at + 2 }
      : one === '$'
        ? readDollar(command, at, true)
        : one === '!' && !isPlainMark(command, at)
          ? undefined
          : { text: one, end: at + 1 }
    if (!part) return undefined
    text += part.text
    at = part.end
  }
  return undefined
}

/** A known variable, or a dollar sign at the end of a word, as in a pattern of grep. */
function readDollar(command: string, at: number, isQuoted: boolean): Part | undefined {
  const [variable] = VARIABLE.exec(command.slice(at, at + 20)) ?? []
  if (variable !== undefined) return { text: '', end: at + variable.length }
  const next = command[at + 1]
  // Outside quotes, `$"` translates a text.
  const isEnd = next === undefined || isBlank(next) || (isQuoted && next === '"')
  return isEnd ? { text: '$', end: at + 1 } : undefined
}

/** Whether an exclamation mark cannot start an event of the history. */
function isPlainMark(command: string, at: number): boolean {
  return /^(?:$|[ \t="])/.test(command.slice(at + 1, at + 2))
}

function isBlank(one: string | undefined): boolean {
  return one === ' ' || one === '\t'
}
