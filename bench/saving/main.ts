/**
 * Measures the tokens of a library in a model's context, and how often the prompt names the right skill: npm run saving [-- --docs]
 * Libraries of 10, 100 and 1,000 real skills, 200 messages by their authors, tokens of o200k. Each is compared with both alternatives:
 * names and descriptions, as agents list them, and everything inlined.
 *     npm run saving -- --described [--docs]
 * measures how often the right skill stands in the prompt with its description, over the messages and libraries of `npm run rank`.
 */
import { countTokens as o200k } from 'gpt-tokenizer/encoding/o200k_base'
import { barChart } from '../report/chart.js'
import { writeFigure, writeSection } from '../report/docs.js'
import { markdownTable } from '../report/table.js'
import { describedRows } from './described.js'
import { libraries } from './libraries.js'
import { type Costs, costOf } from './measure.js'

const countTokens = (text: string): number => o200k(text, { disallowedSpecial: new Set() })
if (process.argv.includes('--described')) {
  const head = [
    'messages of',
    'language',
    'messages',
    'in `tail`, %',
    'in the prompt, %',
    'tokens of `tail`, mean',
    'maximum',
  ]
  const table = markdownTable(head, await describedRows(countTokens))
  console.log(table)
  if (process.argv.includes('--docs')) writeSection('described', table)
  process.exit()
}
const rows: string[][] = []
const bars: { size: number; costs: Costs }[] = []
for (const size of [10, 100, 1_000]) {
  const costs = await costOf(libraries(size), countTokens)
  bars.push({ size, costs })
  const row = (prompt: string, tokens: number, seen: number): string[] => [
    String(size),
    prompt,
    Math.round(tokens).toLocaleString('en'),
    difference(tokens, costs.listed),
    difference(tokens, costs.inlined),
    (100 * seen).toFixed(1),
  ]
  rows.push(
    row('names and descriptions, one skill open', costs.listed, 1),
    row('skillshelf, one skill open', costs.ours, costs.seen),
    row('skillshelf, three skills open', costs.three, costs.seen),
    row('everything inlined', costs.inlined, 1),
  )
}
const table = markdownTable(
  [
    'skills',
    'prompt',
    'tokens per turn',
    'against the list, %',
    'against everything inlined, %',
    'right skill named, %',
  ],
  rows,
)
console.log(table)
if (process.argv.includes('--docs')) {
  writeSection('saving', `${table}\n\n![Tokens per turn by library size](saving.svg)`)
  const series = [
    ['names and descriptions', 'listed'],
    ['skillshelf, 1 open', 'ours'],
    ['skillshelf, 3 open', 'three'],
    ['everything inlined', 'inlined'],
  ] as const
  writeFigure(
    'saving.svg',
    barChart({
      title: 'Tokens per turn',
      axis: 'tokens (o200k), mean of 200 messages',
      categories: bars.map(({ size }) => `${size} skills`),
      series: series.map(([name, key]) => ({
        name,
        values: bars.map(({ costs }) => Math.round(costs[key])),
      })),
      logarithmic: true,
    }),
  )
}

/** How many percent more tokens (`+`) or fewer (`-`) than another prompt has. */
function difference(tokens: number, other: number): string {
  const percent = 100 * (tokens / other - 1)
  return `${percent > 0 ? '+' : ''}${percent.toFixed(1)}`
}
