/**
 * The pages of the reference that TypeDoc does not write: `npm run docs:reference` runs this after it.
 * `commands.md` has every option of the command line, `diagnostics.md` every code, and `index.md` begins with the table of imports.
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
  const more = 'Each takes `--debug` too, which prints stack traces.'
  return [
    '# Options of the command line',
    `${intro} prints them. ${more} [Command line](../cli.md) explains the commands.`,
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

/** Every code of a diagnostic with its severity and meaning: the comments of the type. */
export function diagnosticReference(): string {
  const source = readFileSync(join(root, 'src/skill/diagnostic-codes.ts'), 'utf8')
  const parts = source.matchAll(
    /^ {2}\/\/ (.*)$|^ {2}\/\*\*([\s\S]*?)\*\/\n {2}\| '([a-z0-9-]+)'$/gm,
  )
  const lines = [...parts].map(([, section, comment = '', code]) => {
    if (section !== undefined) {
      return `\n## ${section}\n\n| Code | Severity | Meaning |\n|---|---|---|`
    }
    const text = comment.replaceAll(/\s*\n\s*\*\s?/g, ' ').trim()
    const [, severity = '', meaning = ''] = /^([^:]*): (.*)$/.exec(text) ?? []
    return `| \`${code}\` | ${severity} | ${meaning} |`
  })
  const intro = 'Each diagnostic has one of these codes, and a `hint` that says how to fix it.'
  const strict = 'With `strict`, those marked with * are errors.'
  return `# Diagnostic codes\n\n${intro} ${strict} [Errors](../errors.md) has the rest.\n${lines.join('\n')}`
}

/** The page that the API begins with: what to import, with a link to each path, then all paths. */
export function referenceIndex(modules: string): string {
  const imports = readFileSync(join(root, 'docs/imports.md'), 'utf8')
  const [table = ''] = /^\|[\s\S]*?\n\n/m.exec(imports) ?? []
  const linked = table.replaceAll(/`(skillshelf(?:\/[\w/-]+)?)`/g, (name, path: string) =>
    existsSync(join(reference, path, 'index.md')) ? `[${name}](./${path}/index.md)` : name,
  )
  const commands =
    'The [command line](./commands.md) and the [codes of diagnostics](./diagnostics.md) have pages of their own.'
  return `# API reference\n\n${linked.trim()}\n\n${commands}\n\n## All import paths\n\n${modules}\n`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const index = join(reference, 'index.md')
  const written = readFileSync(index, 'utf8')
  const [, modules = ''] = /## (?:Modules|All import paths)\n\n([\s\S]*)$/.exec(written) ?? []
  writeFileSync(index, referenceIndex(modules.trim()))
  writeFileSync(join(reference, 'commands.md'), `${commandReference()}\n`)
  writeFileSync(join(reference, 'diagnostics.md'), `${diagnosticReference()}\n`)
}
