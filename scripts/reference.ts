/**
 * The pages of the reference that TypeDoc does not write: `npm run docs:reference` runs this after it.
 * docs/reference/commands.md has every option of the command line, docs/reference/index.md begins with the table of imports.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Argument, Command, Option } from 'commander'
import { defineProgram } from '../src/tools/cli/program.js'
import { root } from './exports.js'

const reference = join(root, 'docs/reference')

/** Every command with its arguments and options, as in `--help`. */
export function commandReference(): string {
  const io = { stdout: () => {}, stderr: () => {}, cwd: root, isTTY: false }
  const { commands } = defineProgram(io, () => {})
  const intro = 'Every command with its arguments and options, as `npx skillshelf <command> --help`'
  return [
    '# Options of the command line',
    `${intro} prints them. Each takes `--debug`, which prints stack traces. [Command line](../cli.md) explains the commands.`,
    ...commands.map(sectionOf),
  ].join('\n\n')
}

function sectionOf(command: Command): string {
  const options = command.options.filter(({ long }) => long !== '--debug')
  const rows = [...command.registeredArguments.map(argumentRow), ...options.map(optionRow)]
  return [
    `## ${command.name()}`,
    command.description(),
    `\`\`\`txt\nskillshelf ${command.name()} ${command.usage()}\n\`\`\``,
    ['| Argument or option | Meaning |', '|---|---|', ...rows].join('\n'),
  ].join('\n\n')
}

const argumentRow = (argument: Argument): string =>
  tableRow(argument.name(), argument.description, [...(argument.argChoices ?? [])])

const optionRow = ({ flags, description, argChoices, defaultValue }: Option): string =>
  tableRow(flags, withDefault(description, defaultValue), [...(argChoices ?? [])])

function withDefault(description: string, value: unknown): string {
  if (value === undefined || typeof value === 'boolean' || description.includes('default:')) {
    return description
  }
  return `${description} (default: ${String(value)})`
}

function tableRow(name: string, meaning: string, choices: readonly string[]): string {
  const listed = choices.length === 0 ? '' : `: \`${choices.join('`, `')}\``
  const escaped = meaning.replaceAll('|', '\\|').replaceAll('<', '&lt;')
  return `| \`${name.replaceAll('|', '\\|')}\` | ${escaped}${listed} |`
}

/** The page that the API begins with: what to import, with a link to each path, then all paths. */
export function referenceIndex(modules: string): string {
  const imports = readFileSync(join(root, 'docs/imports.md'), 'utf8')
  const [table = ''] = /^\|[\s\S]*?\n\n/m.exec(imports) ?? []
  const linked = table.replaceAll(/`(skillshelf(?:\/[\w/-]+)?)`/g, (name, path: string) =>
    existsSync(join(reference, path, 'index.md')) ? `[${name}](./${path}/index.md)` : name,
  )
  const commands = 'The command line has [a page of its own](./commands.md).'
  return `# API reference\n\n${linked.trim()}\n\n${commands}\n\n## All import paths\n\n${modules}\n`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const index = join(reference, 'index.md')
  const written = readFileSync(index, 'utf8')
  const [, modules = ''] = /## (?:Modules|All import paths)\n\n([\s\S]*)$/.exec(written) ?? []
  writeFileSync(index, referenceIndex(modules.trim()))
  writeFileSync(join(reference, 'commands.md'), `${commandReference()}\n`)
}
