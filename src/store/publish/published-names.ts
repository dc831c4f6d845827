import { digestOf } from '../../core/digest.js'
import { basename } from '../../core/paths.js'
import { isSpecName, slugify } from '../../skill/specification.js'

export interface Named {
  /** Its folder in the source, `''` for the root. */
  path: string
  name: string
}

/**
 * A name for each of these skills that the Agent Skills specification allows and no other of them has, by path. A skill keeps its own where
 * it can; else it gets that of its folder, or `skill-` and the start of a digest where letters would be lost. The same skills give the same
 * names.
 */
export function publishedNames(skills: readonly Named[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  const taken = new Set<string>()
  const give = ({ path }: Named, name: string): boolean => {
    if (name === '' || taken.has(name)) return false
    taken.add(name)
    names.set(path, name)
    return true
  }
  const depth = (path: string): number => path.split('/').length
  const sorted = [...skills].sort(({ path: a }, { path: b }) => depth(a) - depth(b) || (a < b ? -1 : a > b ? 1 : 0))
  // Of several with one name the folder of that name has it by right, the outermost first.
  for (const atHome of [true, false])
    for (const skill of sorted)
      if (isSpecName(skill.name) && (basename(skill.path) === skill.name) === atHome) give(skill, skill.name)
  for (const skill of sorted) {
    if (names.has(skill.path)) continue
    for (const slug of slugsFor(skill)) if (give(skill, slug)) break
  }
  return names
}

/** Names that a skill could have, best first, without an end. */
function* slugsFor({ path, name }: Named): Generator<string> {
  const slugs = [name, basename(path), path].map(wholeSlug)
  yield* slugs
  const best = slugs.find(slug => slug !== '') ?? `skill-${digestOf(path || name).slice(7, 15)}`
  for (let number = 1; ; number++) {
    const end = number === 1 ? '' : `-${number}`
    yield `${best.slice(0, 64 - end.length).replace(/-$/, '')}${end}`
  }
}

/** A slug that tells what the text did: `''` where a letter or digit of another script would be dropped. */
function wholeSlug(text: string): string {
  const others = text.normalize('NFKD').replace(/[\p{M}a-z0-9]/giu, '')
  return /[\p{L}\p{N}]/u.test(others) ? '' : slugify(text)
}
