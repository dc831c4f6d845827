import { type Command, InvalidArgumentError, Option } from 'commander'
import { THRESHOLD } from '../../search/match/score.js'
import type { Io } from './io.js'

/** Adds a command to the program, with its arguments, options and action. */
export type CommandDefinition = (
  command: (usage: string, summary: string, examples: readonly string[]) => Command,
  /** The action that runs a task with the arguments and options of the command, and sets the exit code that it returns. */
  run: <Args extends unknown[]>(
    task: (io: Io, ...args: Args) => Promise<number>,
  ) => (...args: Args) => Promise<void>,
) => void

export interface CommonFlags {
  skills?: string
  tag?: readonly string[]
  meaning?: boolean
  /** Default: the environment variable SKILLSHELF_TOKEN. */
  token?: string
  dryRun?: boolean
  json?: boolean
}

export const DIR_HELP = 'folder of skills (default: ./skills, else the current folder)'
/** Help of the argument `[dir]` of commands that also read a packed library. */
export const SKILLS_HELP =
  'folder of skills, packed library or URL of one, or npm:PACKAGE (default: ./skills, else the current folder)'
export const STRICT_HELP = 'leave out skills without their own name or description'

export const OPTIONS = {
  debug: new Option('--debug', 'print stack traces'),
  json: new Option('--json', 'print JSON'),
  sameAsDir: new Option('-s, --skills <dir|url>', 'the same as [dir]'),
  tag: new Option('--tag <tag>', 'only skills with this tag (repeatable)').argParser(collect),
  noMeaning: new Option('--no-meaning', 'match by keywords only, without the bundled model'),
  token: new Option(
    '--token <token>',
    'bearer token (default: the environment variable SKILLSHELF_TOKEN, which other users of this machine cannot read)',
  ),
} as const

export function thresholdOption(more = ''): Option {
  return new Option('-t, --threshold <x>', `score above which a skill matches, 0 to 1${more}`)
    .argParser(parseFraction)
    .default(THRESHOLD)
}

export function collect(value: string, previous: readonly string[] | undefined): readonly string[] {
  return [...(previous ?? []), value]
}

export function parsePositiveInteger(value: string): number {
  if (!/^[1-9]\d{0,8}$/.test(value)) {
    throw new InvalidArgumentError('Must be an integer from 1 to 999999999.')
  }
  return Number(value)
}

function parseFraction(value: string): number {
  const number = value.trim() === '' ? Number.NaN : Number(value)
  if (!(number >= 0 && number <= 1)) throw new InvalidArgumentError('Must be a number from 0 to 1.')
  return number
}
