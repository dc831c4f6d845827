import type { AbortOptions } from '../../core/abort.js'
import { mapParallel, PARALLEL_READS } from '../../core/concurrency.js'
import { isSkillshelfError, SkillshelfError } from '../../core/errors.js'
import { basename } from '../../core/paths.js'
import { createLookup } from '../../library/catalog/lookup.js'
import type { Skill, SkillFile, SkillSummary } from '../../skill/skill.js'
import { undefinedIfRefused } from '../session/load.js'
import type { Requester } from '../session/open-skills.js'
import type { Session } from '../session/types.js'

/** To read it is to check the path, by the rules of the source. */
const FIRST_BYTE = { offset: 0, length: 1 }

/**
 * Finds a skill by id or by several kinds of names, exactly or case-folded.
 * @param kinds Return a name of a skill. The first kind that matches any skill decides.
 * @returns The skill, or `undefined` if no skill matches.
 * @throws SkillshelfError `ambiguous-name`
 */
export function findSkill(
  { library }: Session,
  name: string,
  kinds: readonly ((skill: SkillSummary) => string)[],
): SkillSummary | undefined {
  const { skills } = library.snapshot
  for (const kind of kinds) {
    const named = skills.map(({ displayName: _, ...skill }) => ({ ...skill, name: kind(skill) }))
    try {
      const { id } = createLookup(named, new Map()).find(name)
      return skills.find(skill => skill.id === id)
    } catch (error) {
      if (!isSkillshelfError(error, 'skill-not-found')) throw error
    }
  }
  return undefined
}

export function folderName({ path, origin }: SkillSummary): string {
  return basename(path) || origin
}

/** Returns a skill without opening it in the session. @throws SkillshelfError `not-allowed`; every error of `library.get` */
export async function inspectSkill(
  { library, open }: Session,
  name: string,
  { by, ...options }: AbortOptions & { by: Requester },
): Promise<Skill> {
  const skill = await library.get(name, options)
  if (
    by === 'model' &&
    skill.disableModelInvocation &&
    !open.some(one => one.skill.id === skill.id)
  ) {
    throw new SkillshelfError('not-allowed', `${skill.name} can only be opened by people`, {
      subject: skill.id,
    })
  }
  return skill
}

/**
 * Returns the location of a file or folder of a skill, for a tool that opens it. A file that is gone by now, or a link out of the source, has none.
 * @returns `undefined` if the skill has no such file
 * @throws SkillshelfError `resource-not-found`, `invalid-path`
 */
export async function locationOf(
  { library }: Session,
  { id, root, files }: Skill,
  path: string,
  { signal }: AbortOptions,
): Promise<string | undefined> {
  const file =
    files.find(one => one.path === path) ?? files.find(one => one.path.startsWith(`${path}/`))
  if (!file) return undefined
  // A file of a packed library is named by its digest, and never another one.
  if (file.digest === undefined) await library.read(id, file.path, { range: FIRST_BYTE, signal })
  return `${root}/${path}`
}

/** Returns all offered skills without opening them. Skills that cannot be read are left out. */
export async function inspectOffered(
  { library, offered }: Session,
  options: AbortOptions = {},
): Promise<Skill[]> {
  const skills = await mapParallel(offered, PARALLEL_READS, ({ id }) =>
    undefinedIfRefused(library.get(id, options)),
  )
  return skills.filter(skill => skill !== undefined)
}

/** Awaits `promise`, and replaces the message of a `skill-not-found` or `resource-not-found` error by that of the dialect. */
export async function withNotFoundMessage<T>(
  promise: Promise<T>,
  messages: Partial<Record<'skill-not-found' | 'resource-not-found', string>>,
): Promise<T> {
  return promise.catch(error => {
    const message = isSkillshelfError(error)
      ? messages[error.code as keyof typeof messages]
      : undefined
    if (message === undefined) throw error
    const { hint: _, ...details } = error.details
    throw new SkillshelfError(error.code, message, details, error)
  })
}

/** Returns the text of a file. @throws SkillshelfError `unsupported` if the file is not text */
export function fileText({ path, text, bytes, mediaType, location }: SkillFile): string {
  if (text !== undefined) return text
  throw new SkillshelfError(
    'unsupported',
    `${path} is not text: ${mediaType}, ${bytes.length} bytes`,
    {
      subject: path,
      hint: `it is at ${location}`,
    },
  )
}

/** Awaits `promise`, and returns `undefined` instead of a `skill-not-found` error. */
export async function undefinedIfNotFound<T>(promise: Promise<T>): Promise<T | undefined> {
  return promise.catch(error => {
    if (isSkillshelfError(error, 'skill-not-found')) return undefined
    throw error
  })
}
