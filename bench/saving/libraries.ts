import { type PoolSkill, readRows, type TriggerQuery } from '../rank/data.js'

const data = new URL('../../../shared/data/', import.meta.url)
const MESSAGES = 200
/** Characters: shorter ones are no whole skills. */
const SHORTEST = 500

/** A library, and the messages that are asked of it with the skills that serve them. */
export interface Asked {
  skills: readonly PoolSkill[]
  messages: readonly { text: string; right: readonly number[] }[]
}

/**
 * Libraries of one size that hold the right skill of each of 200 messages, every message for another skill; the rest of a library of
 * 1,000 are other real skills. The same in every run.
 */
export function libraries(size: number): Asked[] {
  const pools = readRows<PoolSkill>(new URL('triggers-dev-pools.jsonl.gz', data))
  const keyOf = ({ origin, id }: { origin: string; id: number | string }): string => `${origin}\n${id}`
  const byKey = new Map(pools.filter(({ body }) => body.length >= SHORTEST).map(skill => [keyOf(skill), skill]))
  const chosen = new Map<string, { query: TriggerQuery; skill: PoolSkill }>()
  const queries = readRows<TriggerQuery>(new URL('triggers-dev.jsonl.gz', data)).filter(one => one.should_trigger)
  for (const query of spread(queries)) {
    const key = keyOf({ origin: query.origin, id: query.skill_id })
    const skill = byKey.get(key)
    if (skill && !chosen.has(key)) chosen.set(key, { query, skill })
    if (chosen.size === MESSAGES) break
  }
  const asked = [...chosen.values()]
  const others = spread([...byKey.values()].filter(skill => !chosen.has(keyOf(skill))))
  const groups = size >= MESSAGES ? [asked] : chunk(asked, size)
  return groups.map(group => {
    const skills = [...group.map(({ skill }) => skill), ...others.slice(0, size - group.length)]
    return {
      skills,
      messages: group.map(({ query, skill }) => ({
        text: query.query,
        // A copy of the same skill serves as well.
        right: skills.flatMap((one, at) => (one.name === skill.name && one.body === skill.body ? [at] : [])),
      })),
    }
  })
}

/** The same items in an order that mixes their origins, without chance. */
function spread<T>(items: readonly T[]): T[] {
  const step = 7_919
  return items.map((_, at) => items[(at * step) % items.length] as T)
}

function chunk<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size))
}
