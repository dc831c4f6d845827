import { Command, CommanderError } from 'commander'
import { VERSION } from '../../core/version.js'
import { type CommandDefinition, OPTIONS } from './command.js'
import { budgetCommand } from './commands/budget.js'
import { copyCommand } from './commands/copy.js'
import { diffCommand } from './commands/diff.js'
import { enrichCommand } from './commands/enrich.js'
import { hookCommand } from './commands/hook.js'
import { keysCommand } from './commands/keys.js'
import { listCommand } from './commands/list.js'
import { lockCommand } from './commands/lock.js'
import { matchCommand } from './commands/match.js'
import { mcpCommand } from './commands/mcp.js'
import { newCommand } from './commands/new.js'
import { packCommand } from './commands/pack.js'
import { publishCommand } from './commands/publish.js'
import { reportCommand } from './commands/report.js'
import { serveCommand } from './commands/serve.js'
import { showCommand } from './commands/show.js'
import { sweepCommand } from './commands/sweep.js'
import { testCommand } from './commands/test.js'
import { validateCommand } from './commands/validate.js'
import { EXIT, type Io, reportError } from './io.js'
import { terminalWidth } from './table.js'
import { shownOutput, terminalRow } from './terminal.js'

export type { Io } from './io.js'

/** In the order of the help. */
const COMMANDS: readonly CommandDefinition[] = [
  matchCommand,
  listCommand,
  showCommand,
  newCommand,
  validateCommand,
  testCommand,
  enrichCommand,
  packCommand,
  copyCommand,
  serveCommand,
  publishCommand,
  sweepCommand,
  keysCommand,
  diffCommand,
  lockCommand,
  mcpCommand,
  hookCommand,
  budgetCommand,
  reportCommand,
]

/** Runs a command line. Returns the exit code: 0 success, 1 a check failed, 2 invalid usage or unreadable input, 130 aborted. */
export async function run(argv: readonly string[], output: Io): Promise<number> {
  const io = shownOutput(output)
  let exitCode: number = EXIT.ok
  const program = defineProgram(io, code => {
    exitCode = code
  })
  try {
    await program.parseAsync([...argv], { from: 'user' })
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.error
    return reportError(error, io, argv.includes('--debug') || Boolean(io.env?.['DEBUG']))
  }
}

/** The program with its commands. The command that is run gives its exit code to `onExit`. */
export function defineProgram(io: Io, onExit: (code: number) => void): Command {
  const program = createProgram(io)
  for (const define of COMMANDS) {
    define(
      (usage, summary, examples) =>
        program
          .command(usage)
          .summary(summary)
          .description(`${summary}.`)
          .addOption(OPTIONS.debug)
          .showHelpAfterError(`  see: skillshelf ${usage.split(' ')[0]} --help`)
          .addHelpText(
            'after',
            `\nExamples:\n${examples.map(line => `  $ skillshelf ${line}\n`).join('')}`,
          ),
      task =>
        async (...args) =>
          onExit(await task(io, ...args)),
    )
  }
  return program
}

/** An error of commander: a row with the argument, and perhaps one with a suggestion. */
function errorText(text: string): string {
  const [, message = '', suggestion = ''] =
    /^(?:error: )?(.*?)(\n\(Did you mean [^\n]*\))?\n*$/s.exec(text) ?? []
  return `skillshelf: ${terminalRow(message)}${suggestion}\n`
}

function createProgram(io: Io): Command {
  return new Command('skillshelf')
    .description('Find, validate, pack and serve agent skills: folders with a SKILL.md.')
    .version(VERSION, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'Print help for a command')
    .addOption(OPTIONS.debug)
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({
      writeOut: text => io.stdout(text),
      writeErr: text => io.stderr(text),
      outputError: (text, write) => write(errorText(text)),
      getOutHelpWidth: () => terminalWidth(io),
      getErrHelpWidth: () => terminalWidth(io),
    })
    .addHelpText(
      'after',
      `
Examples:
  $ skillshelf new invoice-check
  $ skillshelf validate
  $ skillshelf match "make slides about our launch" --skills ~/skills
  $ skillshelf pack ~/skills --out public/skills
  $ skillshelf serve ~/skills

Exit codes: 0 success, 1 a check failed, 2 invalid usage or unreadable input, 130 interrupted.`,
    )
}
