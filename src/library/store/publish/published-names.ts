import { digestOf } from '../../../core/digest.js'
import { basename } from '../../../core/paths.js'
import { shortenMarks } from '../../../core/text/fold.js'
import { isSpecName, slugify } from '../../../skill/specification.js'

export interface NamedSkill {
  /** The folder in the source, `''` for the root. */
  path: string
  name: string
}

/**
 * Gives each skill a unique name that the Agent Skills specification allows, by path. A skill keeps its own name if possible. Otherwise it
 * gets the name of its folder, or `skill-` and part of a digest if a slug would lose letters. The same skills give the same names.
 */
export function publishedNames(skills: readonly NamedSkill[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  const taken = new Set<string>()
  const assign = ({ path }: NamedSkill, name: string): boolean => {
    if (name === '' || taken.has(name)) return false
    taken.add(name)
    names.set(path, name)
    return true
  }
  const depth = (path: string): number => path.split('/').length
  const sorted = [...skills].sort(
    ({ path: a }, { path: b }) => depth(a) - depth(b) || (a < b ? -1 : a > b ? 1 : 0),
  )
  // Among skills with the same name, one whose folder has that name goes first, then the outermost.
  for (const folderMatches of [true, false]) {
    for (const skill of sorted) {
      if (isSpecName(skill.name) && (basename(skill.path) === skill.name) === folderMatches) {
        assign(skill, skill.name)
      }
    }
  }
  for (const skill of sorted) {
    if (names.has(skill.path)) continue
    for (const slug of slugsFor(skill)) {
      if (assign(skill, slug)) break
    }
  }
  return names
}

/** Candidate names, best first. Never ends. */
function* slugsFor({ path, name }: NamedSkill): Generator<string> {
  const slugs = [name, basename(path), path].map(losslessSlug)
  yield* slugs
  const best = slugs.find(slug => slug !== '') ?? `skill-${digestOf(path || name).slice(7, 15)}`
  for (let number = 1; ; number++) {
    const suffix = number === 1 ? '' : `-${number}`
    yield `${best.slice(0, 64 - suffix.length).replace(/-$/, '')}${suffix}`
  }
}

/** `''` if a slug would drop a letter or digit of another script. */
function losslessSlug(text: string): string {
  const others = shortenMarks(text)
    .normalize('NFKD')
    .replace(/[\p{M}a-z0-9]/giu, '')
  return /[\p{L}\p{N}]/u.test(others) ? '' : slugify(text)
}
