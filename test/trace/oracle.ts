import type { AbortOptions } from '../../src/core/abort.js'
import { isSkillshelfError } from '../../src/core/errors.js'
import { memory, openLibrary, type SkillLibrary } from '../../src/exports/index.js'
import type { LearnedMessage } from '../../src/library/api/learned-messages.js'
import { FOLDERS, MESSAGES, type Tree } from './skills.js'
import { NAME } from './worlds.js'

/** Everything that a library answers. Plain data, to compare. */
export interface Answers {
  list: readonly unknown[]
  /** What was opened and read of each folder, or the code of the error. */
  skills: Readonly<Record<string, unknown>>
  matches: Readonly<Record<string, unknown>>
}

/** Asks a library everything. */
export async function answersOf(
  library: SkillLibrary,
  options: AbortOptions = {},
): Promise<Answers> {
  const list = await library.list(options)
  const skills: Record<string, unknown> = {}
  for (const folder of FOLDERS)
    skills[folder] = await orCode(() => opened(library, folder, options))
  const matches: Record<string, unknown> = {}
  for (const message of MESSAGES) {
    const found = await library.search(message, { limit: 9, ...options })
    const { status } = await library.match(message, options)
    matches[message] = {
      status,
      served: round(found.served),
      found: found.matches.map(({ id, score, reason }) => [id, round(score), reason]),
    }
  }
  return { list, skills, matches }
}

/** Answers of engines differ in the last bits. */
const round = (score: number): number => Math.round(score * 1e6) / 1e6

async function opened(
  library: SkillLibrary,
  folder: string,
  options: AbortOptions,
): Promise<unknown> {
  const skill = await library.get(`${NAME}/${folder}`, options)
  const { id, name, text, instructions, files, copies, metadata, tokens } = skill
  const contents: Record<string, unknown> = {}
  for (const path of ['SKILL.md', ...files.map(file => file.path)]) {
    contents[path] = (await library.read(id, path, options)).text
  }
  const paths = files.map(({ path, size }) => [path, size])
  return { id, name, text, instructions, paths, copies, metadata, tokens, contents }
}

async function orCode(ask: () => Promise<unknown>): Promise<unknown> {
  try {
    return await ask()
  } catch (error) {
    if (isSkillshelfError(error)) return error.code
    throw error
  }
}

/** A library that is built from scratch. */
export async function rebuilt(
  tree: Tree,
  learned: readonly LearnedMessage[] | undefined,
): Promise<Answers> {
  const library = await openLibrary(memory(tree, { name: NAME }), {
    embedder: false,
    onDiagnostic: () => undefined,
    ...(learned ? { learn: { load: async () => learned, save: async () => undefined } } : {}),
  })
  try {
    return await answersOf(library)
  } finally {
    await library.close()
  }
}
