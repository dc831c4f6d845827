/**
 * Benchmarks the Worker in workerd: npm run bench:edge [-- --sizes 1000,10000 --seconds 60] [--docs]
 * `--docs` writes the tables of docs/measured.md. Needs ../shared/data.
 */
import { mkdtempSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { pack } from '../../src/library/store/pack/pack.js'
import { bundled } from '../../src/search/model/bundled/package.js'
import { memory } from '../../src/source/memory.js'
import { quantile } from '../rank/measure.js'
import { writeSection } from '../report/docs.js'
import { markdownTable } from '../report/table.js'
import { readSkillFiles } from '../speed/documents.js'
import { build, type Cpu, clean, type Isolate, openIsolate } from './isolate.js'
import { load } from './load.js'
import { steady } from './steady.js'
import { uploads } from './upload.js'

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1000,10000' },
    seconds: { type: 'string', default: '60' },
    docs: { type: 'boolean', default: false },
  },
})
/** Fresh isolates that are measured. */
const ROUNDS = 9
const MESSAGES = [
  'make slides about our launch',
  'check this invoice against the order',
  '帮我调研AI市场',
  'write a unit test for this function',
  'book a flight to Lisbon on Friday',
  'summarise the meeting notes of today',
  'deploy the site to production',
  '把这段话翻译成英文',
]
/** First messages of a fresh isolate, and the part of the model that each reads from the static assets. */
const LANGUAGES: readonly (readonly [language: string, message: string, part?: string])[] = [
  ['English', MESSAGES[0] as string],
  ['Chinese', '帮我调研AI市场', 'han'],
  ['Korean', '출시 발표용 슬라이드를 만들어 줘', 'hangul'],
  ['Russian', 'сделай презентацию о нашем запуске', 'cyrillic'],
  ['Portuguese', 'preciso de uma apresentação sobre o lançamento', 'european'],
]
const sizes = values.sizes.split(',').map(Number)
// Reading the archive takes longest, so it is read once for the largest size.
const skills = Object.entries(readSkillFiles(Math.max(...sizes)))
const libraries = new Map<number, Map<string, Uint8Array>>()
const built = build(true)
const cold = build(false)
const sections: string[] = [markdownTable(['upload', 'gzip, KiB', 'limit'], uploads())]
const opened: string[][] = []
const [small = 1000] = sizes
for (const size of sizes) opened.push(await measureOpening(size))
sections.push(
  markdownTable(
    [
      'skills',
      'R2 reads, first match',
      'CPU of the first match, ms',
      'of its thread alone',
      'of its thread without `warm`',
      'CPU of start-up with and without `warm`, ms',
      'CPU per match, p50 and p99, ms',
      'memory, MB',
      'peak while opening, MB',
    ],
    opened,
  ),
)
sections.push(
  markdownTable(
    ['first message', 'part of the model, KB', 'CPU of the first match, ms', 'of its thread alone'],
    await measureLanguages(small),
  ),
)
sections.push(
  markdownTable(
    ['library', 'R2 calls', 'first response, ms', 'skills left out'],
    await measurePeers(small),
  ),
)
sections.push(await measureLoad(small, Number(values.seconds)))
clean(built, cold)
const text = sections.join('\n\n')
console.log(text)
if (values.docs) writeSection('edge', text)

function logStep(step: string): void {
  process.stderr.write(`${step}\n`)
}

async function packed(size: number): Promise<Map<string, Uint8Array>> {
  const held = libraries.get(size)
  if (held) return held
  const files = new Map<string, Uint8Array>()
  libraries.set(size, files)
  const outputs = pack(memory(Object.fromEntries(skills.slice(0, size)), { name: 'skills' }), {
    embedder: await bundled(),
  })
  for await (const { path, bytes } of outputs) files.set(path, bytes)
  return files
}

/** Runs `work` with a bucket of these files. `fresh` opens a new isolate and closes the previous one. */
async function withBucket<T>(
  files: ReadonlyMap<string, Uint8Array>,
  work: (fresh: (options?: { inspected: boolean }) => Promise<Isolate>) => Promise<T>,
  bucket: 'SKILLS' | 'PLAIN' = 'SKILLS',
  worker = built,
): Promise<T> {
  const persist = mkdtempSync(join(tmpdir(), 'skillshelf-r2-'))
  const first = await openIsolate(worker, persist)
  await first.put(files, bucket)
  await first.close()
  const isolates: Isolate[] = []
  try {
    return await work(async options => {
      await isolates.pop()?.close()
      const isolate = await openIsolate(worker, persist, options)
      isolates.push(isolate)
      return isolate
    })
  } finally {
    for (const isolate of isolates) await isolate.close()
    clean(persist)
  }
}

function match(isolate: Isolate, message: string): Promise<Response> {
  return isolate.fetch(`/v1/match?message=${encodeURIComponent(message)}`)
}

function messageAt(at: number): string {
  return MESSAGES[at % MESSAGES.length] as string
}

async function measureOpening(size: number): Promise<string[]> {
  logStep(`opening ${size} skills`)
  const files = await packed(size)
  const unwarmed = await withBucket(files, fresh => firstMatches(fresh, files), 'SKILLS', cold)
  return withBucket(files, async fresh => {
    const warmed = await firstMatches(fresh, files)
    const { held, peak } = await memoryOf(await fresh({ inspected: true }))
    const isolate = await fresh()
    for (let at = 0; at < 100; at++) await (await match(isolate, messageAt(at))).text()
    const [half, most] = await aboveEmpty(isolate)
    return [
      String(size),
      String(warmed.reads),
      warmed.all.toFixed(0),
      warmed.requests.toFixed(0),
      unwarmed.requests.toFixed(0),
      `${warmed.startUp.toFixed(0)}, ${unwarmed.startUp.toFixed(0)}`,
      `${half.toFixed(1)}, ${most.toFixed(1)}`,
      (held / 1e6).toFixed(1),
      (peak / 1e6).toFixed(1),
    ]
  })
}

async function measureLanguages(size: number): Promise<string[][]> {
  logStep('languages')
  const files = await packed(size)
  return withBucket(files, async fresh => {
    const rows: string[][] = []
    for (const [language, message, part] of LANGUAGES) {
      const { all, requests } = await firstMatches(fresh, files, message, part)
      const bytes = part
        ? statSync(fileURLToPath(new URL(`../../model/${part}.bin`, import.meta.url))).size
        : 0
      rows.push([language, (bytes / 1e3).toFixed(0), all.toFixed(0), requests.toFixed(0)])
    }
    return rows
  })
}

/**
 * Medians of the CPU of the first match of fresh isolates, without that of the bucket and of the static assets, and of their start-up.
 * @param part Part of the model that the message reads.
 */
async function firstMatches(
  fresh: () => Promise<Isolate>,
  files: ReadonlyMap<string, Uint8Array>,
  message = MESSAGES[0] as string,
  part?: string,
): Promise<Cpu & { startUp: number; reads: number }> {
  const all: number[] = []
  const requests: number[] = []
  const startUps: number[] = []
  let reads = 0
  for (let round = 0; round < ROUNDS; round++) {
    const isolate = await fresh()
    startUps.push(isolate.startUp.all)
    const alone = await readAlone(isolate, files, part)
    const first = await isolate.cpu(async () => (await match(isolate, message)).text())
    all.push(first.all - alone.all)
    requests.push(first.requests - alone.requests)
    reads = ((await (await isolate.fetch('/bench/state')).json()) as { reads: number }).reads
  }
  const median = (values: readonly number[]): number => quantile(values, 0.5)
  return { all: median(all), requests: median(requests), startUp: median(startUps), reads }
}

/** CPU time of the bucket and the static assets alone: they are simulated in the same process. */
async function readAlone(
  isolate: Isolate,
  files: ReadonlyMap<string, Uint8Array>,
  part?: string,
): Promise<Cpu> {
  const opened = [...files.keys()]
    .filter(path => !path.startsWith('files/'))
    .map(path => `path=${path}`)
  if (part) opened.push(`asset=${part}.bin`)
  const read = async () => (await isolate.fetch(`/bench/read?${opened.join('&')}`)).text()
  // The first run includes compiling the Worker's code.
  await read()
  return isolate.cpu(read)
}

async function memoryOf(isolate: Isolate): Promise<{ held: number; peak: number }> {
  let peak = 0
  let opening = true
  const first = match(isolate, messageAt(0)).then(answer => answer.text())
  first.finally(() => {
    opening = false
  })
  while (opening) peak = Math.max(peak, await isolate.memory())
  for (let at = 0; at < 50; at++) await (await match(isolate, messageAt(at))).text()
  return { held: await isolate.memory(true), peak }
}

/** CPU time of a match minus that of an empty request, p50 and p99. */
async function aboveEmpty(isolate: Isolate, rounds = 500): Promise<[number, number]> {
  const empty: number[] = []
  const matches: number[] = []
  for (let at = 0; at < rounds; at++) {
    empty.push((await isolate.cpu(async () => (await isolate.fetch('/bench/state')).text())).all)
    matches.push((await isolate.cpu(async () => (await match(isolate, messageAt(at))).text())).all)
  }
  return [0.5, 0.99].map(share => quantile(matches, share) - quantile(empty, share)) as [
    number,
    number,
  ]
}

/** Compares with cloudflare/agents, which reads the same skills as plain folders. */
async function measurePeers(size: number): Promise<string[][]> {
  logStep('peers')
  const ours = await withBucket(await packed(size), async fresh => {
    const isolate = await fresh()
    const start = performance.now()
    await (await match(isolate, messageAt(0))).text()
    const ms = performance.now() - start
    const { reads, lists } = (await (await isolate.fetch('/bench/state')).json()) as {
      reads: number
      lists: number
    }
    const { skills } = (await (await isolate.fetch('/v1/health')).json()) as { skills: number }
    return [
      `skillshelf, packed: ${size} skills`,
      String(reads + lists),
      ms.toFixed(0),
      String(size - skills),
    ]
  })
  const plain = new Map(
    skills.slice(0, size).map(([path, text]) => [
      // It requires skills directly under the prefix. Later skills replace earlier ones of the same name.
      `skills/${path.split('/').slice(-2).join('/')}`,
      typeof text === 'string' ? new TextEncoder().encode(text) : (text as Uint8Array),
    ]),
  )
  const theirs = await withBucket(
    plain,
    async fresh => {
      const isolate = await fresh()
      const start = performance.now()
      const answer = (await (await isolate.fetch('/bench/agents')).json()) as Record<
        'reads' | 'lists' | 'skills',
        number
      >
      const ms = performance.now() - start
      return [
        `cloudflare/agents, folders: ${plain.size} skills`,
        String(answer.reads + answer.lists),
        ms.toFixed(0),
        String(plain.size - answer.skills),
      ]
    },
    'PLAIN',
  )
  return [ours, theirs]
}

async function measureLoad(size: number, seconds: number): Promise<string> {
  logStep('load')
  return withBucket(await packed(size), async fresh => {
    const paths = [
      ...MESSAGES.map(message => `/v1/match?message=${encodeURIComponent(message)}`),
      '/v1/skills?limit=20',
      '/v1/library',
      '/v1/health',
    ]
    const rows: string[][] = []
    const quiet = await fresh({ inspected: true })
    rows.push(await load('64 connections', quiet, { seconds, paths, growth: true }))
    rows.push(
      await steady(
        'R2 fails 10 % of reads, one skill is published repeatedly',
        await fresh(),
        seconds,
      ),
    )
    return markdownTable(
      [
        'load',
        'requests',
        'errors',
        'p50, ms',
        'p99, ms',
        'memory growth per 10,000 requests, MB',
        'responses that mix revisions',
      ],
      rows,
    )
  })
}
