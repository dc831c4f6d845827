import { lstat, mkdir, readdir, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { isSpecName, slugify } from '../skill/specification.js'
import { commandError, EXIT } from './errors.js'
import { type Io, printJson, printLines } from './io.js'
import { defaultFolder, displayPath } from './open-library.js'
import type { Dialect, Language } from './template-types.js'
import { folderReadme, skillFiles } from './templates.js'
import { singleLine } from './text.js'

export interface NewFlags {
  dir?: string
  dialect: Dialect
  lang: Language
  description?: string
  json?: boolean
}

const MOST_DESCRIPTION = 1_024

/** `skillshelf new NAME`: a skill to be filled in. */
export async function newCommand(io: Io, name: string, flags: NewFlags): Promise<number> {
  const { dialect, lang: language, description } = flags
  const folder = folderOf(name, dialect)
  if (description !== undefined && (description.trim() === '' || description.length > MOST_DESCRIPTION))
    throw commandError(`The description has ${description.length} characters; 1 to ${MOST_DESCRIPTION} are allowed`)

  const shelf = flags.dir === undefined ? await defaultFolder(io) : resolve(io.cwd, flags.dir)
  const target = join(shelf, folder)
  if (await lstat(target).catch(() => undefined))
    throw commandError(
      `${displayPath(io, target)} exists already`,
      'choose another name, or edit the skill that is there',
    )
  const isNew = (await namesIn(shelf)).length === 0

  const files: Record<string, string> = skillFiles({
    name: dialect === 'agent-core' ? singleLine(name) : name,
    title: titleOf(name),
    dialect,
    language,
    ...(description === undefined ? {} : { description: singleLine(description) }),
  })
  await mkdir(shelf, { recursive: true })
  await mkdir(target)
  for (const [path, text] of Object.entries(files)) {
    const file = join(target, ...path.split('/'))
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text, { flag: 'wx' })
  }
  if (isNew) await writeFile(join(shelf, 'README.md'), folderReadme(dialect, language), { flag: 'wx' })

  const written = [...Object.keys(files).map(path => join(target, path)), ...(isNew ? [join(shelf, 'README.md')] : [])]
  if (flags.json) printJson(io, { name, folder: target, files: written })
  else
    printLines(
      io,
      `Made the skill ${folder}:`,
      ...written.map(path => `  ${displayPath(io, path)}`),
      '',
      'Next: fill in the description and the steps, then run',
      `  skillshelf validate ${displayPath(io, target)}`,
    )
  return EXIT.ok
}

/**
 * The folder that a skill of this name gets.
 * @throws for a name that the dialect does not allow, with one that it does
 */
function folderOf(name: string, dialect: Dialect): string {
  if (dialect === 'agent-core') {
    const folder = slugify(name, '-', true)
    if (folder === '') throw commandError('The name has no letter or digit')
    return folder
  }
  const snake = dialect === 'tokendance'
  if (isSpecName(name) || (snake && name.length <= 64 && /^[a-z0-9]+(?:[_-][a-z0-9]+)*$/.test(name))) return name
  const slug = slugify(name, snake ? '_' : '-', false)
  throw commandError(
    `A skill cannot be named ${JSON.stringify(name.slice(0, 80))}: 1 to 64 lower-case letters, digits and single hyphens${snake ? ' or underscores' : ''} are allowed`,
    slug === '' ? 'for example invoice-check' : `for example ${slug}`,
  )
}

/** A name as words. */
function titleOf(name: string): string {
  return singleLine(name.replace(/[-_]+/g, ' '))
}

/** What a person would see in a folder; nothing where there is none. */
async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter(name => !name.startsWith('.'))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}
