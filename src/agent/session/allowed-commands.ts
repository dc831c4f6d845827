import {
  GIT_COMMANDS,
  GIT_OPTIONS,
  type OptionRule,
  PROGRAM_OPTIONS,
  SUSPICIOUS_PARTS,
} from './program-options.js'
import {
  ALWAYS_RUN,
  HARMLESS_OPTIONS,
  INTERPRETERS,
  LOADERS,
  PLAIN_PROGRAMS,
  RUNNERS,
  RUNNING_MODULES,
  RUNNING_WORDS,
  WRAPPERS,
} from './programs.js'
import { readShellWords } from './shell-words.js'

/** A command of which a pattern spells the first words. */
interface Command {
  words: readonly string[]
  /** Number of whole words that the pattern spells. */
  spelled: number
  /** The start of the next word that the pattern spells, such as `scripts/`. */
  partial: string
}

const ASSIGNMENT = /^[A-Za-z_]\w*(?:\[[^\]]*\])?[:+?!]?=/
/** Quotes that PowerShell reads in another way: curly ones, and those behind a backslash. */
const POWERSHELL_QUOTES = /[\u2018-\u201f]|\\["']/

/**
 * Whether a command that starts with a prefix is only that: plain words, none of which runs another command.
 *
 * The prefix is what the pattern grants. The words that it leaves open may be arguments of the program, but not name a command, a script or
 * code to run. In doubt, a command is refused.
 */
export function staysWithin(prefix: string, command: string, tool: string): boolean {
  // S15: a command that is more than plain words is never allowed by a prefix.
  if (/powershell|pwsh/i.test(tool) && POWERSHELL_QUOTES.test(command)) return false
  const words = readShellWords(command)
  const granted = readShellWords(prefix)
  if (!words || !granted) return false
  const partial = /[ \t]$/.test(prefix) || prefix === '' ? '' : (granted.pop() ?? '')
  const first = words.findIndex(word => !ASSIGNMENT.test(word))
  // Variables before the program, such as GIT_SSH_COMMAND=…, are granted only if the pattern spells them.
  if (first < 0 || first > granted.length) return false
  // A pattern of variables alone, such as NODE_ENV=test *, names no program.
  if (first === granted.length && partial === '') return false
  return runsNothingElse({
    words: words.slice(first),
    spelled: Math.max(0, granted.length - first),
    partial,
  })
}

function runsNothingElse(command: Command): boolean {
  const name = programName(command.words[0] ?? '')
  if (name === 'git') return isPlainGit(command)
  if (ALWAYS_RUN.has(name) || LOADERS.test(name)) return false
  if (WRAPPERS.has(name)) return isSpelledWrapper(command)
  if (INTERPRETERS.has(name)) return isSpelledScript(command, name)
  if (RUNNERS.has(name)) return isSpelledTask(command, name)
  const open = command.words.slice(Math.max(1, command.spelled))
  const rule = PROGRAM_OPTIONS.get(name)
  // The first argument of tar is a cluster of options, with or without a hyphen.
  const first =
    /tar$/.test(name) && command.spelled < 2 && open[0] && !open[0].startsWith('-')
      ? [`-${open[0]}`]
      : []
  return (
    !runsNextWord(command, name) &&
    !open.some(isSuspicious) &&
    !(rule && [...first, ...open].some(word => isRefused(word, rule)))
  )
}

/** Whether a program that is not known may run what follows its first word, as in `op run`. A script of the pattern's author is known. */
function runsNextWord({ words, spelled }: Command, name: string): boolean {
  const [program = '', first = ''] = words
  if (spelled > 1 || PLAIN_PROGRAMS.has(name) || program.includes('/')) return false
  return RUNNING_WORDS.has(first)
}

/** The name of a program without its folder, its version and `.exe`. */
function programName(word: string): string {
  const base = word.slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1).toLowerCase()
  const plain = base.replace(/\.(?:exe|cmd|bat|com)$/, '')
  const isKnown = [PROGRAM_OPTIONS, ALWAYS_RUN, RUNNERS, WRAPPERS].some(one => one.has(plain))
  return isKnown ? plain : plain.replace(/-?\d[\d.]*$/, '') || plain
}

function isRefused(word: string, { long = [], short = '', words }: OptionRule): boolean {
  if (words?.test(word)) return true
  const [, name = ''] = /^--?([^=]*)/.exec(word) ?? []
  if (name === '') return false
  const isLong = word.startsWith('--') || long.includes(name)
  // Most programs accept the start of a long option, such as `--upload-p`.
  if (isLong && long.some(option => option.startsWith(name))) return true
  return !word.startsWith('--') && [...short].some(letter => name.includes(letter))
}

/** An option whose name says that it runs something, as in `--exec` or `--diff-command=…`. */
function isSuspicious(word: string): boolean {
  const [, name = ''] = /^--?([A-Za-z][^=\s]*)/.exec(word) ?? []
  const isNegated = /^no-/.test(name)
  return (
    !isNegated &&
    name
      .toLowerCase()
      .split(/[-_.]/)
      .some(part => SUSPICIOUS_PARTS.has(part))
  )
}

/** `sudo apt-get *`: the command after the wrapper is spelled, and checked as if it stood alone. */
function isSpelledWrapper({ words, spelled, partial }: Command): boolean {
  const [, inner = ''] = words
  const isCommand = /^[\w./@]/.test(inner) && !ASSIGNMENT.test(inner) && !/^\d+$/.test(inner)
  return (
    spelled > 1 &&
    isCommand &&
    runsNothingElse({ words: words.slice(1), spelled: spelled - 1, partial })
  )
}

/** `python scripts/report.py *`, `python scripts/*` or `python -m json.tool *`: the script is spelled, or its folder. */
function isSpelledScript({ words, spelled, partial }: Command, name: string): boolean {
  if (words.length === 2 && /^(?:--version|-V|--help)$/.test(words[1] ?? '')) return true
  const isModule = words[1] === '-m' && /^(?:python|pypy)$/.test(name)
  const at = isModule ? 2 : 1
  const script = words[at] ?? '-'
  if (script.startsWith('-')) return false
  const isFolder = spelled === at && partial.includes('/') && script.startsWith(partial)
  if (at >= spelled && !isFolder) return false
  if (isModule && RUNNING_MODULES.has(script) && spelled < 4) return false
  // `python -m pip install …` is `pip install …`.
  if (isModule) {
    return runsNothingElse({
      words: words.slice(2),
      spelled: Math.max(1, spelled - 2),
      partial: '',
    })
  }
  // sed and the runners of tests read options after their first argument too.
  const readsOptions =
    !/^(?:sh|bash|dash|zsh|ksh|ash|python|pypy|node|nodejs|ruby|perl|php|lua)$/.test(name)
  return (
    !readsOptions || words.slice(Math.max(spelled, at + 1)).every(word => isHarmlessOption(word))
  )
}

/** `npm run *`, `make build *`: the task is spelled, and the rest does not change how it runs. */
function isSpelledTask({ words, spelled, partial }: Command, name: string): boolean {
  const { harmless = [], taking = [], never = [] } = RUNNERS.get(name) ?? {}
  const [, task = ''] = words
  if (words.length === 2 && /^(?:--version|-V|--help)$/.test(task)) return true
  if (task.startsWith('-') || ASSIGNMENT.test(task) || never.includes(task)) return false
  if (spelled < 2 && !harmless.includes(task)) return false
  if (taking.includes(task)) {
    const isSpelled = spelled > 2 && !words[2]?.startsWith('-')
    return isSpelled && runsNothingElse({ words: words.slice(2), spelled: spelled - 2, partial })
  }
  const end = words.indexOf('--')
  const open = words.slice(Math.max(2, spelled), end < 0 ? undefined : end)
  const passed = end < 0 ? [] : words.slice(Math.max(end + 1, spelled))
  return (
    open.every(word => isHarmlessOption(word) && !ASSIGNMENT.test(word)) &&
    !passed.some(isSuspicious)
  )
}

/** Whether a word is no option, or one that changes nothing of what is run. */
function isHarmlessOption(word: string): boolean {
  const [name = ''] = word.split('=')
  return !word.startsWith('-') || word === '-' || HARMLESS_OPTIONS.has(name)
}

/** Whether git has a subcommand first that runs nothing, and no option that does. */
function isPlainGit({ words, spelled }: Command): boolean {
  let at = 1
  for (; words[at]?.startsWith('-'); at++) {
    const word = words[at] as string
    if (word === '-C' && /^[\w./~-]+$/.test(words[at + 1] ?? '')) at++
    else if (!GIT_OPTIONS.has(word)) return false
  }
  const subcommand = words[at]
  if (subcommand === undefined) return true
  const rule = GIT_COMMANDS.get(subcommand)
  if (!rule) return false
  const args = words.slice(at + 1)
  if (rule.commands) {
    const first = args.find(word => !word.startsWith('-') || rule.commands?.includes(word))
    if (first !== undefined && !rule.commands.includes(first)) return false
    if (
      first === undefined &&
      args.length > 0 &&
      !args.every(word => word === '-q' || word === '--quiet')
    ) {
      return false
    }
  }
  const open = words.slice(Math.max(at + 1, spelled))
  const end = open.indexOf('--')
  const options = end < 0 ? open : open.slice(0, end)
  if (options.some(word => isRefused(word, rule))) return false
  const hasOptionAsAddress = end >= 0 && open.slice(end).some(word => /^-[^-]/.test(word))
  return !(rule.isRemote && (hasOptionAsAddress || open.some(word => /::|\/\/-/.test(word))))
}
