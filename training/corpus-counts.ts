/**
 * Writes src/search/match/corpus-counts.ts: document counts of the terms that at least 1 in 100 skills has.
 * Words are counted over English SKILL.md files, ideographs over Chinese names, descriptions and headings; only rows under a
 * permissive license, and none of the evaluation. N-grams are also counted over Chinese, Japanese and Korean messages of users, who write
 * words that skills do not, such as 喜欢. Run: npm run make:corpus-counts
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { groupBy } from '../bench/rank/data.js'
import { ANALYZER, termsOf } from '../src/core/text/analyze.js'
import { isSpaced } from '../src/core/text/character-classes.js'
import { readMessages } from './messages/read.js'

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
/** Messages of users that count as one document, and the minimum share of such documents: only words that users write all the time. */
const MESSAGES = 10
const MESSAGES_SHARE = 0.5
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
  .filter(
    path => basename(path).toLowerCase() === 'skill.md' && !evaluated.has(basename(dirname(path))),
  )
  .map(path => readFileSync(join(folder, path), 'utf8').slice(0, 20_000))
rmSync(folder, { recursive: true })

const han = /\p{Script=Han}/u
const messages = groupBy(
  [...readMessages(), ...readMessages('messages-by-situation.tsv')],
  ({ language }) => language,
)
const words = table([countTerms(english, term => !han.test(term))], english.length)
const ideographs = table(
  [
    countTerms(chinese, term => han.test(term)),
    ...['zh', 'ja', 'ko'].map(language => {
      const documents = joinedMessages(language)
      const counts = countTerms(documents, term => !isSpaced(term))
      const common = [...counts].filter(([, count]) => count >= documents.length * MESSAGES_SHARE)
      // As if there were as many as Chinese skills.
      return new Map(
        common.map(([term, count]) => [term, (count * chinese.length) / documents.length]),
      )
    }),
  ],
  chinese.length,
)
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

/** Documents of messages that are far apart in the files, so that no two are of one skill. */
function joinedMessages(language: string): string[] {
  const texts = (messages.get(language) ?? []).map(({ message }) => message)
  const count = Math.floor(texts.length / MESSAGES)
  return Array.from({ length: count }, (_, at) =>
    texts.filter((_, index) => index % count === at).join('\n'),
  )
}

/** How many documents have each term. */
function countTerms(
  documents: readonly string[],
  keep: (term: string) => boolean,
): Map<string, number> {
  const counts = new Map<string, number>()
  for (const document of documents) {
    for (const term of termsOf(document)) {
      if (keep(term)) counts.set(term, (counts.get(term) ?? 0) + 1)
    }
  }
  return counts
}

/** Terms by steps of their highest count. */
function table(counted: readonly ReadonlyMap<string, number>[], documents: number): string[] {
  const highest = new Map<string, number>()
  for (const counts of counted) {
    for (const [term, count] of counts) highest.set(term, Math.max(count, highest.get(term) ?? 0))
  }
  const steps = new Map<number, string[]>()
  for (const [term, count] of [...highest].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (count < documents * SHARE) continue
    const step = Math.round(Math.log2(count) * STEPS)
    steps.set(step, [...(steps.get(step) ?? []), term])
  }
  return [...steps].sort(([a], [b]) => b - a).map(([step, terms]) => [step, ...terms].join(' '))
}
