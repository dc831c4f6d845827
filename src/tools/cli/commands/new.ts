import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { Option } from 'commander'
import { invalidInput } from '../../../core/errors.js'
import { plainLine } from '../../../core/sanitize.js'
import { isSpecName, slugify } from '../../../skill/specification.js'
import { type CommandDefinition, type CommonFlags, OPTIONS } from '../command.js'
import { type Dialect, dialectOption } from '../dialects.js'
import { EXIT, type Io, printJson, printLines } from '../io.js'
import { defaultFolder } from '../open-library.js'
import { displayPath, fileInfo, makeFolder } from '../paths.js'
import { folderReadme, LANGUAGES, type Language, skillFiles } from '../templates.js'

interface NewFlags extends CommonFlags {
  dir?: string
  dialect: Dialect
  lang: Language
  description?: string
}

const MAX_DESCRIPTION = 1_024

export const newCommand: CommandDefinition = (command, run) =>
  command('new <name>', 'Create a skill from a template', [
    'new invoice-check',
    'new invoice-check --description "Checks invoices for missing fields."',
    'new invoice_check --dialect tokendance --lang zh --dir agents/skills',
  ])
    .option('-d, --dir <dir>', 'parent folder (default: ./skills, else the current folder)')
    .addOption(dialectOption('system that defines the frontmatter and folders'))
    .option('--description <text>', 'purpose of the skill and when to use it')
    .addOption(
      new Option('--lang <language>', 'language of the template').choices(LANGUAGES).default('en'),
    )
    .addOption(OPTIONS.json)
    .action(run(createSkill))

async function createSkill(io: Io, name: string, flags: NewFlags): Promise<number> {
  const { dialect, lang: language, description } = flags
  const folder = folderNameFor(name, dialect)
  if (
    description !== undefined &&
    (description.trim() === '' || description.length > MAX_DESCRIPTION)
  ) {
    throw invalidInput(
      `\`--description\` must have 1 to ${MAX_DESCRIPTION} characters; it has ${description.trim() === '' ? 'none' : description.length}`,
    )
  }

  const parent = flags.dir === undefined ? await defaultFolder(io) : resolve(io.cwd, flags.dir)
  const target = join(parent, folder)
  if (await fileInfo(target)) {
    throw invalidInput(
      `${displayPath(io, target)} already exists`,
      'choose another name, or edit the existing skill',
    )
  }
  const isFirst = (await visibleEntries(parent)).length === 0

  const files = await skillFiles({
    name: dialect === 'agent-core' ? plainLine(name) : name,
    title: plainLine(name.replace(/[-_]+/g, ' ')),
    dialect,
    language,
    description: description === undefined ? undefined : plainLine(description),
  })
  await makeFolder(target)
  for (const [path, text] of Object.entries(files)) {
    const file = join(target, ...path.split('/'))
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text, { flag: 'wx' })
  }
  const readme = join(parent, 'README.md')
  if (isFirst) await writeFile(readme, await folderReadme(dialect, language), { flag: 'wx' })

  const written = [
    ...Object.keys(files).map(path => join(target, path)),
    ...(isFirst ? [readme] : []),
  ]
  if (flags.json) printJson(io, { name, folder: target, files: written })
  else {
    printLines(
      io,
      `Created the skill ${folder}:`,
      written.map(path => `  ${displayPath(io, path)}`),
      '',
      'Next: fill in the description and the steps, then run',
      `  skillshelf validate ${displayPath(io, target)}`,
    )
  }
  return EXIT.ok
}

/** The folder name for a skill. @throws for a name that the dialect does not allow, with a suggestion */
function folderNameFor(name: string, dialect: Dialect): string {
  if (dialect === 'agent-core') {
    const folder = slugify(name, '-', true)
    if (folder === '') throw invalidInput('The name must contain a letter or digit')
    return folder
  }
  const snake = dialect === 'tokendance'
  if (
    isSpecName(name) ||
    (snake && name.length <= 64 && /^[a-z0-9]+(?:[_-][a-z0-9]+)*$/.test(name))
  ) {
    return name
  }
  const slug = slugify(name, snake ? '_' : '-', false)
  throw invalidInput(
    `Invalid skill name ${JSON.stringify(name.slice(0, 80))}: use 1 to 64 lower-case letters, digits and single hyphens${snake ? ' or underscores' : ''}`,
    slug === '' ? 'for example invoice-check' : `for example ${slug}`,
  )
}

/** The entries of a folder except hidden ones. Empty if the folder does not exist. */
async function visibleEntries(folder: string): Promise<string[]> {
  const entries = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error.code === 'ENOTDIR'
      ? invalidInput(
          `\`--dir\` ${folder} is not a folder, or is inside a file`,
          'choose another folder',
        )
      : error
  })
  return entries.filter(name => !name.startsWith('.'))
}
