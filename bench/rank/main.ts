/**
 * How often the right skill is found: npm run rank -- --queries FILE --pools FILE [--matcher lexical] [--json]
 * FILE: JSON lines, gzipped or plain. Default: the trigger queries of ../shared/data.
 */
import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { type PoolSkill, readRows, type TriggerQuery } from './data.js'
import { matchers } from './matchers.js'
import { answerAll, figuresByLanguage, quantile } from './measure.js'

const data = new URL('../../../shared/data/', import.meta.url)
const { values } = parseArgs({
  options: {
    queries: { type: 'string' },
    pools: { type: 'string' },
    matcher: { type: 'string', default: 'lexical' },
    json: { type: 'boolean', default: false },
  },
})
const open = matchers[values.matcher]
if (!open) throw new Error(`There is no matcher ${values.matcher}; there are ${Object.keys(matchers).join(', ')}`)
if (!values.queries && !existsSync(new URL('triggers-dev.jsonl.gz', data))) {
  console.error('Give the messages and the skills to rank: npm run rank -- --queries FILE --pools FILE')
  process.exit(2)
}
const queries = readRows<TriggerQuery>(values.queries ?? new URL('triggers-dev.jsonl.gz', data))
const pools = readRows<PoolSkill>(values.pools ?? new URL('triggers-dev-pools.jsonl.gz', data))

const outcomes = await answerAll(queries, pools, open)
const languages = figuresByLanguage(outcomes)
const times = outcomes.map(({ ms }) => ms)
const queryMs = { p50: quantile(times, 0.5), p95: quantile(times, 0.95) }
if (values.json) console.log(JSON.stringify({ matcher: values.matcher, languages, queryMs }))
else {
  const figure = (value: number | null): string => (value === null ? '-' : value.toFixed(3))
  console.table(
    Object.fromEntries(
      Object.entries(languages).map(([language, { r1, r5, ndcg5, macroR1, n }]) => [
        language,
        { 'R@1': figure(r1), 'R@5': figure(r5), 'NDCG@5': figure(ndcg5), 'macro R@1': figure(macroR1), n },
      ]),
    ),
  )
  console.log(`${values.matcher}: ${queryMs.p50.toFixed(2)} ms a query (median), ${queryMs.p95.toFixed(2)} ms (95 %)`)
}
