import { promptNames } from '../../src/agent/session/prompt.js'
import { escapeLine } from '../../src/core/sanitize.js'
import { memory, openLibrary } from '../../src/exports/index.js'
import { createSession } from '../../src/exports/session.js'
import { bundled } from '../../src/search/model/bundled/package.js'
import { groupBy, type PoolSkill, readRows, type TriggerQuery } from '../rank/data.js'

/** The prompt of one message. */
interface Prompt {
  language: string
  /** Whether the right skill stands in `tail` with its description, and whether it does in `tail` or `system`. */
  inTail: boolean
  inPrompt: boolean
  tailTokens: number
}

/** Minimum skills of a library, and minimum messages of a row. As in `npm run rank`. */
const MIN_LIBRARY = 10
const MIN_MESSAGES = 30
const DESCRIBED = /<name>([^<]*)<\/name>(?:\n<description>| )[^<\n]/g

/**
 * The share of messages whose right skill stands in the prompt with its description: a row for each language of the trigger queries of
 * skill authors, and of the messages of test/ranking in users' own words.
 */
export async function describedRows(countTokens: (text: string) => number): Promise<string[][]> {
  const data = new URL('../../../shared/data/', import.meta.url)
  const ranking = new URL('../../test/ranking/', import.meta.url)
  const pools = groupBy(
    readRows<PoolSkill>(new URL('triggers-dev-pools.jsonl.gz', data)),
    ({ origin }) => origin,
  )
  const sets: [name: string, files: URL[]][] = [
    ['skill authors', [new URL('triggers-dev.jsonl.gz', data)]],
    ['own words', ['own-words-a.jsonl', 'own-words-b.jsonl'].map(name => new URL(name, ranking))],
  ]
  const rows: string[][] = []
  for (const [name, files] of sets) {
    const prompts = await prepareAll(
      files.flatMap(file => readRows<TriggerQuery>(file)),
      pools,
      countTokens,
    )
    for (const [language, some] of groupBy(prompts, one => one.language)) {
      if (some.length >= MIN_MESSAGES) rows.push([name, language, ...cells(some)])
    }
  }
  return rows
}

function cells(prompts: readonly Prompt[]): string[] {
  const mean = (value: (prompt: Prompt) => number): number =>
    prompts.reduce((sum, one) => sum + value(one), 0) / prompts.length
  return [
    String(prompts.length),
    (100 * mean(({ inTail }) => Number(inTail))).toFixed(1),
    (100 * mean(({ inPrompt }) => Number(inPrompt))).toFixed(1),
    mean(({ tailTokens }) => tailTokens).toFixed(0),
    String(Math.max(...prompts.map(({ tailTokens }) => tailTokens))),
  ]
}

/** Prepares a turn for every message of tier `good`, over the library of its origin, with the default options of a session. */
async function prepareAll(
  queries: readonly TriggerQuery[],
  pools: ReadonlyMap<string, PoolSkill[]>,
  countTokens: (text: string) => number,
): Promise<Prompt[]> {
  const wanted = queries.filter(({ should_trigger, tier }) => should_trigger && tier === 'good')
  const prompts: Prompt[] = []
  for (const [origin, asked] of groupBy(wanted, query => query.origin)) {
    const skills = pools.get(origin) ?? []
    if (skills.length < MIN_LIBRARY) continue
    const files = skills.map(({ name, description, body }, at) => [
      `${at}/SKILL.md`,
      `---\n${JSON.stringify({ name, description: description ?? '' })}\n---\n${body ?? ''}`,
    ])
    await using library = await openLibrary(memory(Object.fromEntries(files)), {
      embedder: bundled(),
    })
    const session = createSession(library)
    const summaries = library.snapshot.skills
    const nameOf = promptNames(summaries)
    for (const { query, lang, skill_id, alt_skill_ids = [] } of asked) {
      const ids = new Set([skill_id, ...alt_skill_ids])
      const folders = new Set(skills.flatMap(({ id }, at) => (ids.has(id) ? [String(at)] : [])))
      const right = new Set(
        summaries.filter(({ path }) => folders.has(path)).map(skill => escapeLine(nameOf(skill))),
      )
      const describesRight = (text: string): boolean =>
        [...text.matchAll(DESCRIBED)].some(([, name = '']) => right.has(name))
      const { system, tail } = await session.prepare({ message: query })
      const inTail = describesRight(tail)
      prompts.push({
        language: lang,
        inTail,
        inPrompt: inTail || describesRight(system),
        tailTokens: countTokens(tail),
      })
    }
  }
  return prompts
}
