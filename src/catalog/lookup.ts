import { SkillshelfError } from '../core/errors.js'
import type { SkillId, SkillSummary } from '../skill/types.js'
import { foldText } from '../text/fold.js'

/** Finds skills the way people and models name them. */
export interface Lookup {
  /**
   * By id, exact name, display name, then case-folded name or display name.
   * @throws SkillshelfError `skill-not-found` (candidates: the nearest names), `ambiguous-name` (candidates: the ids)
   */
  find(name: string): SkillSummary
}

export function createLookup(skills: readonly SkillSummary[], hidden: ReadonlyMap<SkillId, SkillSummary>): Lookup {
  let byId: Map<SkillId, SkillSummary> | undefined
  const index = (key: (skill: SkillSummary) => string | undefined): Map<string, SkillSummary[]> => {
    const map = new Map<string, SkillSummary[]>()
    for (const skill of skills) {
      const value = key(skill)
      if (value === undefined) continue
      const same = map.get(value)
      if (same) same.push(skill)
      else map.set(value, [skill])
    }
    return map
  }
  let stages: Map<string, SkillSummary[]>[] | undefined

  return {
    find(name) {
      if (typeof name !== 'string')
        throw new SkillshelfError('invalid-input', `A skill is named by a string, not ${typeof name}`)
      byId ??= new Map(skills.map(skill => [skill.id, skill]))
      const exact = byId.get(name) ?? hidden.get(name)
      if (exact) return exact
      stages ??= [
        index(skill => skill.name),
        index(skill => skill.displayName),
        index(skill => foldText(skill.name)),
        index(skill => (skill.displayName === undefined ? undefined : foldText(skill.displayName))),
      ]
      for (const [stage, map] of stages.entries()) {
        const found = map.get(stage < 2 ? name : foldText(name))
        if (found?.length === 1) return found[0] as SkillSummary
        if (found) {
          const candidates = found.map(skill => skill.id)
          throw new SkillshelfError(
            'ambiguous-name',
            `${found.length} skills are named ${JSON.stringify(name)}: ${listed(candidates)}`,
            { subject: name, candidates, hint: 'use the id' },
          )
        }
      }
      const candidates = nearestNames(name, skills)
      throw new SkillshelfError('skill-not-found', `There is no skill ${JSON.stringify(name.slice(0, 200))}`, {
        subject: name,
        candidates,
        ...(candidates.length > 0 ? { hint: `nearest: ${candidates.join(', ')}` } : {}),
      })
    },
  }
}

/** Names that share the most with a wrong one, by pairs of letters (Dice), best first. */
export function nearestNames(name: string, skills: readonly { name: string }[], limit = 3): string[] {
  const wanted = letterPairs(foldText(name).slice(0, 200))
  return skills
    .map(skill => ({ name: skill.name, likeness: likeness(wanted, letterPairs(foldText(skill.name))) }))
    .filter(one => one.likeness >= 0.3)
    .sort((a, b) => b.likeness - a.likeness || (a.name < b.name ? -1 : 1))
    .map(one => one.name)
    .filter((one, at, all) => all.indexOf(one) === at)
    .slice(0, limit)
}

function letterPairs(text: string): Set<string> {
  const padded = ` ${text.replace(/[-_\s]+/g, ' ')} `
  return new Set(Array.from({ length: padded.length - 1 }, (_, at) => padded.slice(at, at + 2)))
}

function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let common = 0
  for (const pair of a) if (b.has(pair)) common++
  return (2 * common) / (a.size + b.size)
}

function listed(items: readonly string[]): string {
  return items.length <= 5 ? items.join(', ') : `${items.slice(0, 5).join(', ')} and ${items.length - 5} more`
}
