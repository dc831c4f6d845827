/**
 * The bundled model, alone and mixed with words. Run directly, it prints the results of many mixes:
 *     npx tsx training/model/mixes.ts [--model DIR] [--queries FILE --pools FILE] [--json]
 */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type PoolSkill, readRows, type TriggerQuery } from '../../bench/rank/data.js'
import { answerAll, figuresByLanguage, type Outcome } from '../../bench/rank/measure.js'
import { MODEL, openModel } from '../../bench/rank/model.js'
import { markdownTable } from '../../bench/report/table.js'
import { createSegmentBuilder } from '../../src/search/index/build.js'
import type { TermEntry } from '../../src/search/index/lexicon.js'
import { addPostings } from '../../src/search/index/postings.js'
import { FROM_BYTE } from '../../src/search/index/weights.js'
import {
  type CorpusStatistics,
  loadCorpusStatistics,
} from '../../src/search/match/corpus-statistics.js'
import { analyzeQuery } from '../../src/search/match/query.js'
import { weighTerms } from '../../src/search/match/query-terms.js'
import type { StaticModel } from '../../src/search/model/static-model.js'
import { evidenceOfSegment, openSingleSegment } from '../calibrate/features.js'

/** How much of a message the words of the library cover. */
export interface Coverage {
  /** Lexical coverage of the best skill, 0 to 1. */
  coverage: number
  /** Share of the message's idf in terms that the library has, 0 to 1. */
  known: number
}

/** Returns the vector weight, from 0 (words alone) to 1. */
export type Mix = (coverage: Coverage) => number

export interface Scored extends Coverage {
  /** BM25F with pairs and names, of every skill. */
  words: Float32Array
  /** Cosines of every skill. */
  meaning: Float32Array
}

/** Both scores of every skill of a library. */
export type Scorer = (message: string) => Scored

const WORDS_ALONE = { embedding: undefined, calibrated: undefined }

export function openScorer(
  skills: readonly PoolSkill[],
  model: StaticModel,
  corpus: CorpusStatistics,
): Scorer {
  const builder = createSegmentBuilder()
  for (const { name, description, body } of skills) {
    builder.add({ name, description: description ?? '', tags: [], body: body ?? '' })
  }
  const searched = openSingleSegment(builder.finish())
  const { dimensions } = model
  const vectors = new Float32Array(skills.length * dimensions)
  for (const [at, { name, description, body }] of skills.entries()) {
    model.skillVector(
      { name, description: description ?? '', body: body ?? '' },
      vectors.subarray(at * dimensions, (at + 1) * dimensions),
    )
  }
  const query = new Float32Array(dimensions)

  return message => {
    // The matcher ranks the best 50; any other skill keeps its BM25F score.
    const words = new Float32Array(skills.length)
    let all = 0
    let known = 0
    for (const { idf, weight, forms } of weighTerms(
      analyzeQuery({ message }, corpus),
      [searched],
      corpus,
    )) {
      all += idf * weight
      const found = forms.filter(({ entries }) => entries[0])
      if (found.length > 0) known += idf * weight
      for (const { share, entries } of found) {
        addPostings(
          searched.segment,
          entries[0] as TermEntry,
          idf * weight * share * FROM_BYTE,
          words,
        )
      }
    }
    const { evidence, ranked } = evidenceOfSegment(searched, message, corpus, WORDS_ALONE)
    for (const { skill, relevance } of ranked) words[skill] = relevance
    model.vectorOf(message, query)
    const meaning = new Float32Array(skills.length)
    for (let skill = 0; skill < skills.length; skill++) {
      let sum = 0
      for (let d = 0; d < dimensions; d++) {
        sum += (query[d] as number) * (vectors[skill * dimensions + d] as number)
      }
      meaning[skill] = sum
    }
    return { words, meaning, coverage: evidence.coverage ** 2, known: all === 0 ? 0 : known / all }
  }
}

/** Mixes by `a cos / max |cos| + (1 - a) bm25 / max bm25` and returns the numbers of the best five skills. */
export function mixed({ words, meaning, ...explained }: Scored, mix: Mix): number[] {
  const mostWords = words.reduce((most, one) => Math.max(most, one), 0)
  const mostMeaning = meaning.reduce((most, one) => Math.max(most, Math.abs(one)), 0)
  const a = mix(explained)
  const scores = words.map((one, skill) => {
    const said = mostWords === 0 ? 0 : one / mostWords
    const meant = mostMeaning === 0 ? 0 : (meaning[skill] as number) / mostMeaning
    return a * meant + (1 - a) * said
  })
  return [...scores.keys()]
    .sort((x, y) => (scores[y] as number) - (scores[x] as number) || x - y)
    .slice(0, 5)
}

const ALPHAS = [1, 0, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.55]

/** Vector weight, from `most` down to `least` as lexical coverage grows from 0 to `full`. */
export function byCoverage(least: number, most: number, full: number): Mix {
  return ({ coverage }) => least + (most - least) * Math.max(0, 1 - coverage / full)
}

/** Measures many mixes, scoring each message once. */
export async function measureMixes(
  model: StaticModel,
  queries: readonly TriggerQuery[],
  pools: readonly PoolSkill[],
  mixes: Readonly<Record<string, Mix>>,
): Promise<Record<string, Outcome[]>> {
  const corpus = await loadCorpusStatistics()
  const others: Record<string, Outcome[]> = Object.fromEntries(
    Object.keys(mixes).map(name => [name, []]),
  )
  const [firstName] = Object.keys(mixes)
  const ranked = new Map<string, readonly (number | string)[]>()
  const outcomes = await answerAll(queries, pools, async skills => {
    const scorer = openScorer(skills, model, corpus)
    return {
      async rank(message) {
        const scored = scorer(message)
        for (const [name, mix] of Object.entries(mixes)) {
          ranked.set(
            `${name}\t${skills[0]?.origin}\t${message}`,
            mixed(scored, mix).map(at => (skills[at] as PoolSkill).id),
          )
        }
        return ranked.get(`${firstName}\t${skills[0]?.origin}\t${message}`) ?? []
      },
    }
  })
  for (const outcome of outcomes) {
    const { query } = outcome
    const right = new Set([query.skill_id, ...(query.alt_skill_ids ?? [])])
    for (const name of Object.keys(mixes)) {
      const ids = ranked.get(`${name}\t${query.origin}\t${query.query}`) ?? []
      others[name]?.push({
        ...outcome,
        first: ids[0],
        place: ids.findIndex(id => right.has(id)) + 1,
      })
    }
  }
  return others
}

async function main(): Promise<void> {
  const data = new URL('../../../shared/data/', import.meta.url)
  const { values } = parseArgs({
    options: {
      model: { type: 'string', default: MODEL },
      queries: { type: 'string' },
      pools: { type: 'string' },
      json: { type: 'boolean', default: false },
    },
  })
  if (!existsSync(`${values.model}/latin.bin`)) throw new Error(`No model in ${values.model}`)
  const queries = readRows<TriggerQuery>(values.queries ?? new URL('triggers-dev.jsonl.gz', data))
  const pools = readRows<PoolSkill>(values.pools ?? new URL('triggers-dev-pools.jsonl.gz', data))
  const mixes: Record<string, Mix> = Object.fromEntries(
    ALPHAS.map(alpha => [`a = ${alpha}`, () => alpha]),
  )
  for (const [least, most, full] of [
    [0.2, 0.5, 0.5],
    [0.2, 0.7, 0.5],
    [0.2, 0.9, 0.4],
    [0.15, 0.7, 0.5],
    [0.25, 0.9, 0.3],
    [0.15, 0.9, 0.5],
  ] as const) {
    mixes[`coverage ${least}-${most}/${full}`] = byCoverage(least, most, full)
  }
  const rows: string[][] = []
  const measured = await measureMixes(openModel(values.model), queries, pools, mixes)
  for (const [name, outcomes] of Object.entries(measured)) {
    for (const [language, { r1, r5, macroR1, n }] of Object.entries(figuresByLanguage(outcomes))) {
      if (n >= 30) {
        rows.push([
          name,
          language,
          ...[r1, r5, macroR1].map(value => (value === null ? '-' : value.toFixed(3))),
          String(n),
        ])
      }
    }
  }
  const head = ['vector weight', 'language', 'R@1', 'R@5', 'macro R@1', 'messages']
  if (values.json) {
    console.log(
      JSON.stringify(rows.map(row => Object.fromEntries(head.map((key, at) => [key, row[at]])))),
    )
  } else console.log(markdownTable(head, rows))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main()
