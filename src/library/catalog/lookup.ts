import { lazy } from '../../core/concurrency.js'
import { invalidInput, SkillshelfError } from '../../core/errors.js'
import { basename, listPaths } from '../../core/paths.js'
import { foldText } from '../../core/text/fold.js'
import { similarNames } from '../../core/text/nearest-name.js'
import type { SkillId, SkillSummary } from '../../skill/skill.js'
import { skillId } from './snapshot.js'

/** Longer names are compared with ids only, in UTF-16 units. They come from a model or a request. */
const MAX_NAME = 1_024

/** Finds skills by the names that people and models give them. */
export interface Lookup {
  /**
   * Finds a skill by its id or that of a copy, exact name, exact display name, the latter two without regard to case, or the last part of its folder, in this
   * order.
   * @throws SkillshelfError `invalid-input` if `name` is not a string, `skill-not-found` with similar names as `candidates`, or
   * `ambiguous-name` with the ids as `candidates`.
   */
  find(name: string): SkillSummary
}

/** Creates a lookup. Skills of `hidden` are found by id only. Its indexes are built on first use. */
export function createLookup(
  skills: readonly SkillSummary[],
  hidden: ReadonlyMap<SkillId, SkillSummary>,
): Lookup {
  const exact = (name: string): string => name
  const byId = lazy(() => new Map(skills.map(skill => [skill.id, skill])))
  const byCopy = lazy(() => {
    const withCopies = [...skills, ...hidden.values()].filter(({ copies }) => copies)
    return new Map(withCopies.flatMap(skill => copyIds(skill).map(id => [id, skill])))
  })
  const stages = lazy(() => [
    ...[exact, foldText].flatMap(key => [
      { key, index: indexBy(skills, ({ name }) => [key(name)]) },
      {
        key,
        index: indexBy(skills, ({ displayName }) =>
          displayName === undefined ? [] : [key(displayName)],
        ),
      },
    ]),
    { key: foldText, index: indexBy(skills, folderNames) },
  ])

  return {
    find(name) {
      if (typeof name !== 'string') {
        throw invalidInput(`The name of a skill must be a string, but is ${typeof name}`)
      }
      const skill = byId().get(name) ?? hidden.get(name) ?? byCopy().get(name)
      if (skill) return skill
      if (name.length > MAX_NAME) throw notFound(name, [])
      for (const { key, index } of stages()) {
        const found = index.get(key(name))
        if (found?.length === 1) return found[0] as SkillSummary
        if (found) {
          const candidates = found.map(({ id }) => id)
          throw new SkillshelfError(
            'ambiguous-name',
            `${found.length} skills are named ${JSON.stringify(name)}: ${listPaths(candidates.slice(0, 5), candidates.length)}`,
            { subject: name, candidates, hint: 'use the id' },
          )
        }
      }
      const names = skills.map(skill => skill.name)
      throw notFound(name, similarNames(name, names))
    },
  }
}

/** The ids that a skill has in its other folders. */
export function copyIds({ origin, copies = [] }: SkillSummary): SkillId[] {
  return copies.map(path => skillId(origin, path))
}

/** The folded last parts of the folders of a skill. */
export function folderNames({ path, copies = [] }: SkillSummary): string[] {
  return [...new Set([path, ...copies].map(one => foldText(basename(one))).filter(Boolean))]
}

function notFound(name: string, candidates: readonly string[]): SkillshelfError {
  return new SkillshelfError(
    'skill-not-found',
    `Skill ${JSON.stringify(name.slice(0, 200))} not found`,
    {
      subject: name.slice(0, MAX_NAME),
      candidates,
      ...(candidates.length > 0 ? { hint: `similar names: ${candidates.join(', ')}` } : {}),
    },
  )
}

function indexBy(
  skills: readonly SkillSummary[],
  keysOf: (skill: SkillSummary) => readonly string[],
): Map<string, SkillSummary[]> {
  const index = new Map<string, SkillSummary[]>()
  for (const skill of skills) {
    for (const key of keysOf(skill)) {
      const same = index.get(key)
      if (same) same.push(skill)
      else index.set(key, [skill])
    }
  }
  return index
}
