/**
 * Compares `estimateTokens` with a real tokenizer (o200k): npm run tokens [-- --docs] [-- --fit]
 * `--fit` prints the token cost of each kind of text piece, fitted by least squares on every second text.
 * `--injected FOLDER` compares what a session counts with what it injects, over the folders of real skills.
 */
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { estimateTokens } from '../../src/core/tokens.js'
import { writeSection } from '../report/docs.js'
import { markdownTable } from '../report/table.js'
import { fitCosts } from './fit.js'
import { injectedRows } from './injected.js'
import { readTexts } from './texts.js'

/** Minimum tokens of a text. Relative errors of shorter texts say little. */
const MIN_TOKENS = 30

const [, injectedFolder] = process.argv.slice(process.argv.indexOf('--injected'))
if (process.argv.includes('--injected') && injectedFolder !== undefined) {
  const head = ['dialect', 'skills', 'injected', 'bodies, %', 'counted, %', 'largest']
  const count = (text: string): number => countTokens(text, { disallowedSpecial: new Set() })
  console.log(markdownTable(head, await injectedRows(injectedFolder, count)))
  process.exit()
}

const measured = [...readTexts()].map(([kind, texts]) => ({
  kind,
  texts: texts
    .map(text => ({ text, tokens: countTokens(text, { disallowedSpecial: new Set() }) }))
    .filter(({ tokens }) => tokens >= MIN_TOKENS),
}))

if (process.argv.includes('--fit')) console.log(fitCosts(measured))
else {
  const rows = measured.map(({ kind, texts }) => {
    const errors = texts
      .map(({ text, tokens }) => estimateTokens(text) / tokens - 1)
      .sort((a, b) => a - b)
    const at = (share: number): string =>
      percent(errors[Math.floor(share * (errors.length - 1))] as number)
    const near = errors.filter(error => Math.abs(error) <= 0.15).length / errors.length
    return [kind, String(texts.length), at(0.05), at(0.5), at(0.95), (near * 100).toFixed(1)]
  })
  const table = markdownTable(['texts', 'files', 'p5', 'median', 'p95', 'within 15 %, %'], rows)
  console.log(table)
  if (process.argv.includes('--docs')) writeSection('tokens', table)
}

function percent(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value * 100).toFixed(0)} %`
}
