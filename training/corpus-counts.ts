/**
 * Writes src/search/match/corpus-counts.ts: document counts of the terms that at least 1 in 100 skills has.
 * Words are counted over English SKILL.md files, ideographs over Chinese names, descriptions and headings; only rows under a
 * permissive license, and none of the evaluation. Run: npm run make:corpus-counts
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { ANALYZER, analyze, TERM } from '../src/core/text/analyze.js'

interface Row {
  name: string
  description: string
  headings: string[]
  lang: string
  license: string
  inEval: boolean
}

const data = new URL('../../shared/data/', import.meta.url)
/** Minimum share of the documents that have a term. */
const SHARE = 0.01
/** Counts are rounded to steps of a third of a doubling. */
const STEPS = 3

const rows = gunzipSync(readFileSync(new URL('skills-meta.jsonl.gz', data)))
  .toString()
  .trim()
  .split('\n')
  .map(line => JSON.parse(line) as Row)
const evaluated = new Set(rows.filter(row => row.inEval).map(row => row.name))
const chinese = rows
  .filter(row => row.license === 'permissive' && !row.inEval && row.lang === 'zh')
  .map(row => [row.name, row.description, ...row.headings].join('\n'))

const folder = mkdtempSync(join(tmpdir(), 'skillshelf-'))
execFileSync('tar', ['xJf', new URL('clawhub-skillmd.tar.xz', data).pathname, '-C', folder])
const english = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter(path => basename(path).toLowerCase() === 'skill.md' && !evaluated.has(basename(dirname(path))))
  .map(path => readFileSync(join(folder, path), 'utf8').slice(0, 20_000))
rmSync(folder, { recursive: true })

const han = /\p{Script=Han}/u
const words = table(english, term => !han.test(term))
const ideographs = table(chinese, term => han.test(term))
const text = `// Made by training/corpus-counts.ts. Each string: a step, then the terms that 2^(step/${STEPS}) documents have.
export const corpusCounts = {
  analyzer: '${ANALYZER}',
  steps: ${STEPS},
  words: { documents: ${english.length}, terms: ${JSON.stringify(words)} },
  ideographs: { documents: ${chinese.length}, terms: ${JSON.stringify(ideographs)} },
}
`
writeFileSync(new URL('../src/search/match/corpus-counts.ts', import.meta.url), text)
console.log(
  `${english.length} English and ${chinese.length} Chinese documents, ${[words, ideographs].map(one => one.flatMap(line => line.split(' ').slice(1)).length).join(' and ')} terms, ${gzipSync(text).length} bytes gzipped`,
)

function table(documents: readonly string[], keep: (term: string) => boolean): string[] {
  const counts = new Map<string, number>()
  for (const document of documents) {
    const terms = new Set<string>()
    analyze(document, (term, kind) => {
      if (kind & TERM) terms.add(term)
    })
    for (const term of terms) if (keep(term)) counts.set(term, (counts.get(term) ?? 0) + 1)
  }
  const steps = new Map<number, string[]>()
  for (const [term, count] of [...counts].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (count < documents.length * SHARE) continue
    const step = Math.round(Math.log2(count) * STEPS)
    steps.set(step, [...(steps.get(step) ?? []), term])
  }
  return [...steps].sort(([a], [b]) => b - a).map(([step, terms]) => [step, ...terms].join(' '))
}
