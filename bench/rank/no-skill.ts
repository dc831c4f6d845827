import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { openLibrary } from '../../src/library/open-library.js'
import { directory } from '../../src/source/directory/directory.js'
import { randomFrom } from '../random.js'
import { groupBy, type PoolSkill, readRows } from './data.js'
import { MIN_LIBRARY, type Ranker } from './measure.js'

/** Shares of messages that match a skill although none serves them. */
export interface FalseAlarms {
  /** Over libraries drawn from the pools. */
  pools: number
  /** Over the sample skills, without the few messages that one of them serves: training/data/served-by-samples.txt, English ones by row. */
  samples: number
  /** Messages. Each is matched against several pools. */
  n: number
}

const english = new URL('../../../shared/data/no-skill-queries.jsonl.gz', import.meta.url)
const own = new URL('../../training/data/', import.meta.url)
const samples = new URL('../../demo/skills/', import.meta.url)
/** Pools that each message is matched against. */
const DRAWN = 5

/**
 * Matches messages that no skill serves: those of training/data, and English ones if present.
 * @param open Opens a library. It is called again for the same one.
 */
export async function falseAlarms(
  pools: readonly PoolSkill[],
  open: (skills: readonly PoolSkill[]) => Promise<Ranker>,
): Promise<Record<string, FalseAlarms>> {
  const sampled = await open(await readSamples())
  const libraries = [...groupBy(pools, ({ origin }) => origin).values()].filter(
    ({ length }) => length >= MIN_LIBRARY,
  )
  const random = randomFrom(1)
  const found: Record<string, FalseAlarms> = {}
  for (const [language, messages] of groupBy(readUnserved(), one => one.language)) {
    let [inPools, inSamples] = [0, 0]
    for (const { message, servedBySamples } of messages) {
      if (!servedBySamples && (await fires(sampled, message))) inSamples++
      for (let drawn = 0; drawn < DRAWN; drawn++) {
        const library = libraries[Math.floor(random() * libraries.length)] as PoolSkill[]
        if (await fires(await open(library), message)) inPools++
      }
    }
    const n = messages.length
    found[language] = {
      pools: inPools / (n * DRAWN),
      samples: inSamples / messages.filter(one => !one.servedBySamples).length,
      n,
    }
  }
  return found
}

async function fires(ranker: Ranker, message: string): Promise<boolean> {
  return ((await ranker.match?.(message))?.matches.length ?? 0) > 0
}

/** Messages that no skill serves, in nine languages; in English only if they are present. */
export function readUnserved(): { language: string; message: string; servedBySamples: boolean }[] {
  const served = new Set(readLines('served-by-samples.txt'))
  const others = readdirSync(own).flatMap(name => {
    const language = /^no-skill-(\w+)\.txt$/.exec(name)?.[1]
    return language ? readLines(name).map(message => ({ language, message })) : []
  })
  const inEnglish = existsSync(english) ? readRows<{ query: string }>(english) : []
  return [
    ...inEnglish.map(({ query }, index) => ({
      language: 'en',
      message: query,
      servedBySamples: served.has(`en ${index + 1}`),
    })),
    ...others.map(one => ({ ...one, servedBySamples: served.has(one.message) })),
  ]
}

function readLines(name: string): string[] {
  return readFileSync(new URL(name, own), 'utf8').trim().split('\n')
}

export async function readSamples(): Promise<PoolSkill[]> {
  await using library = await openLibrary(directory(samples))
  const skills = await Promise.all(library.snapshot.skills.map(({ id }) => library.get(id)))
  return skills.map(({ id, metadata, messages = [], instructions: body }) => ({
    ...metadata,
    id,
    origin: 'samples',
    messages,
    body,
  }))
}
