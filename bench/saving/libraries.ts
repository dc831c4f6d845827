import { type PoolSkill, readRows, type TriggerQuery } from '../rank/data.js'

const data = new URL('../../../shared/data/', import.meta.url)
const MESSAGES = 200
/** Minimum characters of a skill. Shorter ones are not complete skills. */
const MIN_LENGTH = 500

/** A library, and messages with the indexes of their right skills. */
export interface TestLibrary {
  skills: readonly PoolSkill[]
  messages: readonly { text: string; right: readonly number[] }[]
}

/** The skills and messages of the data, read once. */
let rows: { pools: PoolSkill[]; queries: TriggerQuery[] } | undefined
function readData() {
  rows ??= {
    pools: readRows<PoolSkill>(new URL('triggers-dev-pools.jsonl.gz', data)),
    queries: readRows<TriggerQuery>(new URL('triggers-dev.jsonl.gz', data)),
  }
  return rows
}

/**
 * Builds libraries of one size for 200 messages, each with a right skill of its own. A library of 1,000 is filled up with other
 * real skills. The result is the same in every run.
 */
export function libraries(size: number): TestLibrary[] {
  const { pools, queries: all } = readData()
  const keyOf = ({ origin, id }: { origin: string; id: number | string }): string =>
    `${origin}\n${id}`
  const byKey = new Map(
    pools.filter(({ body }) => body.length >= MIN_LENGTH).map(skill => [keyOf(skill), skill]),
  )
  const chosen = new Map<string, { query: TriggerQuery; skill: PoolSkill }>()
  const queries = all.filter(one => one.should_trigger)
  for (const query of spread(queries)) {
    const key = keyOf({ origin: query.origin, id: query.skill_id })
    const skill = byKey.get(key)
    if (skill && !chosen.has(key)) chosen.set(key, { query, skill })
    if (chosen.size === MESSAGES) break
  }
  const pairs = [...chosen.values()]
  const others = spread([...byKey.values()].filter(skill => !chosen.has(keyOf(skill))))
  const groups = size >= MESSAGES ? [pairs] : chunk(pairs, size)
  return groups.map(group => {
    const skills = [...group.map(({ skill }) => skill), ...others.slice(0, size - group.length)]
    return {
      skills,
      messages: group.map(({ query, skill }) => ({
        text: query.query,
        // Copies of the same skill are right too.
        right: skills.flatMap((one, at) =>
          one.name === skill.name && one.body === skill.body ? [at] : [],
        ),
      })),
    }
  })
}

/** Mixes the origins of the items in a fixed order. */
function spread<T>(items: readonly T[]): T[] {
  const step = 7_919
  return items.map((_, at) => items[(at * step) % items.length] as T)
}

function chunk<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) =>
    items.slice(at * size, (at + 1) * size),
  )
}
