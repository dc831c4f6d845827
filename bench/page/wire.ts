import type { Browser } from 'playwright'
import { errorMessage } from '../../src/core/errors.js'
import { quantile } from '../rank/measure.js'
import { markdownTable } from '../report/table.js'
import { kilobytes } from './first.js'
import { type Host, startHost, type Traffic } from './host.js'
import { MESSAGES } from './pages/messages.js'
import { type Conditions, visitCold } from './visit.js'
import { hasSkills, libraryScripts, SAMPLES, wireLibrary } from './wire-libraries.js'

/** What a first visit fetches until its first answer, and a second message after that: skillshelf beside its peers, on slow 4G. */

/** The network that Lighthouse calls slow 4G, and the processor of a phone. */
const CONDITIONS: Conditions = { network: { rate: 1_600_000, latency: 150 }, slowdown: 4 }
export const WIRE_SIZES = [SAMPLES, 100, 1_000, 10_000, 100_000]

type MessageLanguage = keyof typeof MESSAGES
const SECOND: Readonly<Record<MessageLanguage, string>> = {
  en: 'make slides about our launch',
  zh: '帮我调研AI市场',
}

/** A page without a bundler. */
interface WirePage {
  what: string
  language: MessageLanguage
  /** A script that defines `answer`, which takes a message and returns names. */
  script(folder: string): string
  /** Skills up to which it is measured: one that indexes all texts in the page takes minutes for more. @default any number */
  upTo?: number
}

const skillshelf = (options: string, model: string) => (folder: string) =>
  `
import { http, openLibrary } from '/skillshelf/dist/browser/skillshelf.js'
const library = await openLibrary(http(new URL('${folder}', location.href)), { modelTimeout: Infinity, ${options} })
const answer = async message => {
  const { matches, model } = await library.search(message)
  if (!${model}.test(model)) throw new Error('answered by ' + model)
  return matches.map(({ name }) => name)
}`
const words = skillshelf('embedder: false', '/^lexical/')
const meaning = skillshelf('', '/^hybrid/')

const PAGES: readonly WirePage[] = [
  { what: 'skillshelf, by words', language: 'en', script: words },
  { what: 'skillshelf, by words, Chinese', language: 'zh', script: words },
  { what: 'skillshelf, by meaning', language: 'en', script: meaning },
  { what: 'skillshelf, by meaning, Chinese', language: 'zh', script: meaning },
  {
    what: 'MiniSearch',
    language: 'en',
    upTo: 10_000,
    script: folder => `
import MiniSearch from '/peers/minisearch.js'
const texts = await (await fetch('${folder}texts.json')).json()
const index = new MiniSearch({ fields: ['name', 'description'], storeFields: ['name'] })
index.addAll(texts.map((text, id) => ({ ...text, id })))
const answer = async message => index.search(message).slice(0, 5).map(({ name }) => name)`,
  },
  {
    what: 'Orama',
    language: 'en',
    upTo: 10_000,
    script: folder => `
import { create, insertMultiple, search } from '/peers/orama.js'
const texts = await (await fetch('${folder}texts.json')).json()
const index = create({ schema: { name: 'string', description: 'string' } })
await insertMultiple(index, texts)
const answer = async term => (await search(index, { term, limit: 5 })).hits.map(({ document }) => document.name)`,
  },
  {
    what: 'Pagefind',
    language: 'en',
    script: folder => `
import * as pagefind from '${folder}pagefind/pagefind.js'
const answer = async message => {
  const { results } = await pagefind.search(message)
  const pages = await Promise.all(results.slice(0, 5).map(result => result.data()))
  return pages.map(({ meta }) => meta.title)
}`,
  },
]

/** The page reports when it had the first answer; the host knows what it had sent until then. */
const pageOf = ({ language, script }: WirePage, folder: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>First answer</title>
<link rel="icon" href="data:,">
<script type="module">
const post = (path, body) => fetch(path, { method: 'POST', body: JSON.stringify(body) })
addEventListener('unhandledrejection', ({ reason }) => void post('/report', { error: String(reason) }))
addEventListener('error', ({ message }) => void post('/report', { error: message }))
${script(folder)}
const found = await answer(${JSON.stringify(MESSAGES[language])})
const answered = performance.now()
await post('/moment')
await answer(${JSON.stringify(SECOND[language])})
await post('/report', { answered, found })
</script>
</html>`

interface WireReport {
  answered: number
  found: readonly string[]
}

/** First visits to one page. `error`: it gave no answer. */
interface WireVisits {
  /** Median milliseconds from the start of the navigation. */
  answered: number
  requests: number
  bytes: number
  /** Of the second message. */
  secondRequests: number
  secondBytes: number
}

export interface WireRow {
  skills: number
  what: string
  /** The name of the first skill. */
  first: string | undefined
  compressed: WireVisits | { error: string }
  plain: WireVisits | { error: string }
}

export async function measureWire(
  browser: Browser,
  rounds: number,
  sizes: readonly number[],
): Promise<WireRow[]> {
  const hosts = [await startHost(), await startHost({ compresses: false })] as const
  const rows: WireRow[] = []
  try {
    const scripts = await libraryScripts()
    for (const host of hosts) host.add(scripts)
    for (const size of sizes) {
      if (size > SAMPLES && !hasSkills) {
        console.error(`../shared/data is missing: ${size} skills are not measured`)
        continue
      }
      const { skills, files } = await wireLibrary(size)
      for (const [at, page] of PAGES.entries()) {
        const path = `wire/${size}/${at}.html`
        files.set(path, new TextEncoder().encode(pageOf(page, `/wire/${size}/`)))
      }
      for (const host of hosts) host.add(files)
      for (const [at, { what, upTo = size }] of PAGES.entries()) {
        if (size > upTo) continue
        const path = `wire/${size}/${at}.html`
        const found: string[] = []
        const [compressed, plain] = [
          await visits(browser, hosts[0], path, rounds, found),
          await visits(browser, hosts[1], path, rounds, found),
        ]
        rows.push({ skills, what, first: found[0], compressed, plain })
        console.error(`${skills} skills, ${what}: ${JSON.stringify([compressed, plain, found[0]])}`)
      }
    }
  } finally {
    for (const host of hosts) await host.close()
  }
  return rows
}

async function visits(
  browser: Browser,
  host: Host,
  path: string,
  rounds: number,
  found: string[],
): Promise<WireVisits | { error: string }> {
  const times: number[] = []
  let until = { requests: 0, bytes: 0 }
  let after = until
  for (let round = 0; round < rounds; round++) {
    try {
      const { report, traffic, moments } = await visitCold<WireReport>(
        browser,
        host,
        path,
        CONDITIONS,
      )
      times.push(report.answered)
      found.splice(0, found.length, ...report.found)
      until = sumOf(moments[0] ?? traffic)
      after = sumOf(traffic)
    } catch (error) {
      return { error: errorMessage(error) }
    }
  }
  return {
    answered: quantile(times, 0.5),
    ...until,
    secondRequests: after.requests - until.requests,
    secondBytes: after.bytes - until.bytes,
  }
}

function sumOf({ requests, ...bytes }: Traffic): { requests: number; bytes: number } {
  return { requests, bytes: Object.values(bytes).reduce((sum, some) => sum + some, 0) }
}

export function wireTable(rows: readonly WireRow[]): string {
  const cell = (visits: WireRow['plain'], of: (visits: WireVisits) => string): string =>
    'error' in visits ? 'no answer' : of(visits)
  const seconds = ({ answered }: WireVisits): string => (answered / 1_000).toFixed(1)
  return markdownTable(
    [
      'skills',
      'first visit',
      'requests',
      'KB, gzip',
      'seconds',
      'KB, no gzip',
      'seconds',
      'second message: requests, KB',
    ],
    rows.map(({ skills, what, compressed, plain }) => [
      String(skills),
      what,
      cell(compressed, ({ requests }) => String(requests)),
      cell(compressed, ({ bytes }) => kilobytes(bytes)),
      cell(compressed, seconds),
      cell(plain, ({ bytes }) => kilobytes(bytes)),
      cell(plain, seconds),
      cell(compressed, visits => `${visits.secondRequests}, ${kilobytes(visits.secondBytes)}`),
    ]),
  )
}
