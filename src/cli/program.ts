import { readFileSync } from 'node:fs'
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { EXIT, reportError } from './errors.js'
import type { Io } from './io.js'
import { type ListFlags, listCommand } from './list.js'
import { type MatchFlags, matchCommand } from './match.js'
import { type NewFlags, newCommand } from './new.js'
import { type PackFlags, packCommand } from './pack.js'
import type { PublishFlags } from './publish.js'
import type { ServeFlags } from './serve.js'
import { type ShowFlags, showCommand } from './show.js'
import { widthFor } from './table.js'
import { DIALECTS, LANGUAGES } from './template-types.js'
import { type TestFlags, testCommand } from './test.js'
import { type ValidateFlags, validateCommand } from './validate.js'

export type { Io } from './io.js'

const SKILLS = 'folder of skills, packed library or its address (default: ./skills, else the current folder)'
const DIR = 'folder of skills (default: ./skills, else the current folder)'
const MEANING = 'find by meaning too, with the bundled model'
const JSON_TOO = 'print JSON for programs'
const THRESHOLD = 0.7

/**
 * Runs a command line in a world that is handed in; gives the exit code: 0 fine, 1 the check failed, 2 wrong usage or cannot
 * read, 130 stopped.
 */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  let code: number = EXIT.ok
  const program = createProgram(io, given => {
    code = given
  })
  try {
    await program.parseAsync([...argv], { from: 'user' })
    return code
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.error
    return reportError(error, io, argv.includes('--debug') || Boolean(io.env?.['DEBUG']))
  }
}

function createProgram(io: Io, done: (code: number) => void): Command {
  const program = new Command('skillshelf')
    .description('Finds the right agent skill (a folder with a SKILL.md) for a message.')
    .version(version(), '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .option('--debug', 'print where in the program an error arose')
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({
      writeOut: text => io.stdout(text),
      writeErr: text => io.stderr(text),
      outputError: (text, write) => write(text.replace(/^error: /, 'skillshelf: ')),
      getOutHelpWidth: () => widthFor(io),
      getErrHelpWidth: () => widthFor(io),
    })
  const command = (usage: string, summary: string, examples: readonly string[]): Command =>
    program
      .command(usage)
      .summary(summary)
      .description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`)
      .option('--debug', 'print where in the program an error arose')
      .showHelpAfterError(`  see: skillshelf ${usage.split(' ')[0]} --help`)
      .addHelpText('after', `\nExamples:\n${examples.map(line => `  $ skillshelf ${line}\n`).join('')}`)

  command('match <message...>', 'rank skills for a message', [
    'match "make slides about our launch"',
    'match "review my changes" --skills ~/skills --limit 3',
    'match "draw a chart" --skills https://example.com/library/ --json',
  ])
    .option('-s, --skills <dir|url>', SKILLS)
    .option('-n, --limit <n>', 'matches to show', wholeNumber, 5)
    .option('-t, --threshold <x>', 'score above which a match counts, 0 to 1', share, THRESHOLD)
    .option('--tag <tag>', 'only skills with this tag (again for more)', collect)
    .option('--require', 'exit with 1 where no match is above the threshold')
    .option('--meaning', MEANING)
    .option('--json', JSON_TOO)
    .action(async (words: string[], flags: MatchFlags) => done(await matchCommand(io, words.join(' '), flags)))

  command('list', 'list skills, with what they cost in tokens', ['list', 'list --skills ~/skills --tag pdf'])
    .option('-s, --skills <dir|url>', SKILLS)
    .option('--tag <tag>', 'only skills with this tag (again for more)', collect)
    .option('--json', JSON_TOO)
    .action(async (flags: ListFlags) => done(await listCommand(io, flags)))

  command('show <name>', 'show a skill, one of its files, or a segment file of a packed library', [
    'show pdf --skills ~/skills',
    'show pdf --file scripts/merge.py',
    'show library/0123456789abcdef.seg',
  ])
    .option('-s, --skills <dir|url>', SKILLS)
    .option('-f, --file <path>', 'print this file of the skill')
    .option('--json', JSON_TOO)
    .action(async (name: string, flags: ShowFlags) => done(await showCommand(io, name, flags)))

  command('new <name>', 'make a skill to fill in', [
    'new invoice-check',
    'new invoice-check --description "Checks invoices for missing fields."',
    'new invoice_check --dialect tokendance --lang zh --dir agents/skills',
  ])
    .option('-d, --dir <dir>', 'where to make it (default: ./skills, else the current folder)')
    .addOption(new Option('--dialect <system>', 'whose frontmatter and folders').choices(DIALECTS).default('spec'))
    .option('--description <text>', 'what it does and when to use it')
    .addOption(new Option('--lang <language>', 'language of the text').choices(LANGUAGES).default('en'))
    .option('--json', JSON_TOO)
    .action(async (name: string, flags: NewFlags) => done(await newCommand(io, name, flags)))

  command('validate', 'say what is wrong with skills, and where', [
    'validate',
    'validate skills/pdf --strict',
    'validate ~/skills --json',
  ])
    .argument('[dir]', `${DIR}, or one skill`)
    .option('--strict', 'what breaks the specification is an error; nothing is inferred')
    .option('--all', 'show notes too, and every row')
    .option('--json', JSON_TOO)
    .action(async (dir: string | undefined, flags: ValidateFlags) => done(await validateCommand(io, dir, flags)))

  command('test', 'check that messages find their skills (triggers.yaml)', ['test', 'test ~/skills --json'])
    .argument('[dir]', DIR)
    .option(
      '-t, --threshold <x>',
      'score above which a skill would open: what cases of none must stay under, 0 to 1',
      share,
      THRESHOLD,
    )
    .option('--meaning', MEANING)
    .option('--json', JSON_TOO)
    .action(async (dir: string | undefined, flags: TestFlags) => done(await testCommand(io, dir, flags)))

  command('pack', 'write skills as a library for any static host', [
    'pack skills --out public/skills',
    'pack --out dist/library --name team --strict',
    'pack skills --out public --no-well-known',
  ])
    .argument('[dir]', DIR)
    .requiredOption('-o, --out <dir>', 'folder to write; nothing outside it is touched')
    .option(
      '--name <name>',
      "name in skillshelf.json (default: the folder's name); ids start with the name of the source that opens it",
    )
    .option('--strict', 'leave out skills without a name or description of their own')
    .option('--no-well-known', 'only the library: nothing for `npx skills add` and other clients of well-known skills')
    .option('--keep-old', 'keep files of earlier packs, for readers that still hold the old catalog')
    .option('--meaning', 'pack vectors of the bundled model too: 136 bytes a skill')
    .option('--json', JSON_TOO)
    .action(async (dir: string | undefined, flags: PackFlags) => done(await packCommand(io, dir, flags)))

  command('serve', 'serve skills to pages, Workers and `npx skills add`', [
    'serve skills',
    'serve public/skills --port 3000',
    'serve skills --api --meaning',
    'serve skills --host 0.0.0.0',
  ])
    .argument(
      '[dir]',
      'packed library, or folder of skills that is packed in memory (default: ./skills, else the current folder)',
    )
    .option('-p, --port <n>', 'port to listen on; 0: any that is free', portNumber, 8080)
    .option('--host <address>', 'address to listen on; 0.0.0.0: to others in the network too', '127.0.0.1')
    .option('--name <name>', "first part of the skills' ids (default: the folder's name)")
    .option('--strict', 'leave out skills without a name or description of their own')
    .option('--api', 'REST and MCP too, beside the files')
    .option('--meaning', 'with vectors of the bundled model; the API finds by meaning too')
    .action(async (dir: string | undefined, flags: Omit<ServeFlags, 'version'>) => {
      // Most commands go without a server.
      const { serveCommand } = await import('./serve.js')
      done(await serveCommand(io, dir, { ...flags, version: version() }))
    })

  command('publish', 'put skills on a shelf that can be written to, by HTTP: only what changed', [
    'publish skills --to https://skills.example.com/',
    'publish --to https://skills.example.com/ --prune --dry-run',
  ])
    .argument('[dir]', DIR)
    .requiredOption('--to <url>', 'address of the shelf')
    .option(
      '--token <token>',
      'token of the shelf (default: the environment variable SKILLSHELF_TOKEN, which is safer: others on this machine can read a command line)',
    )
    .option('--prune', 'remove what is on the shelf and not in the folder any more')
    .option('--dry-run', 'only say what would be done')
    .action(async (dir: string | undefined, flags: PublishFlags) => {
      const { publishCommand } = await import('./publish.js')
      done(await publishCommand(io, dir, flags))
    })

  command('mcp', 'serve skills to an agent over stdin and stdout (Model Context Protocol)', [
    'mcp skills',
    'mcp https://example.com/library/ --meaning',
  ])
    .argument('[dir]', SKILLS)
    .option('--meaning', MEANING)
    .action(async (dir: string | undefined, flags: { meaning?: boolean | undefined }) => {
      // Most commands go without the protocol.
      const { mcpCommand } = await import('./mcp.js')
      done(await mcpCommand(io, dir, { ...flags, version: version() }))
    })

  return program.addHelpText(
    'after',
    `
Examples:
  $ skillshelf new invoice-check
  $ skillshelf validate
  $ skillshelf match "make slides about our launch" --skills ~/skills
  $ skillshelf pack ~/skills --out public/skills
  $ skillshelf serve ~/skills

Exit codes: 0 fine, 1 a check failed, 2 wrong usage or unreadable, 130 stopped.`,
  )
}

function collect(value: string, before: readonly string[] | undefined): string[] {
  return [...(before ?? []), value]
}

function wholeNumber(value: string): number {
  if (!/^[1-9]\d{0,5}$/.test(value)) throw new InvalidArgumentError('It is a whole number from 1.')
  return Number(value)
}

function portNumber(value: string): number {
  if (!/^\d{1,5}$/.test(value) || Number(value) > 65_535)
    throw new InvalidArgumentError('It is a number from 0 to 65535.')
  return Number(value)
}

function share(value: string): number {
  const number = value.trim() === '' ? Number.NaN : Number(value)
  if (!(number >= 0 && number <= 1)) throw new InvalidArgumentError('It is a number from 0 to 1.')
  return number
}

function version(): string {
  const { version: own } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string
  }
  return own
}
