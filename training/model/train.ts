/**
 * Trains the bundled model and writes its files:
 *     npm run train -- [--out DIR] [--seed N] [--threads N] [--epochs N] [--start words|random] [--quick]
 * `--start`: initial rows of words, from their MiniLM vectors or random.
 * `--quick`: a small sample and table, to test the pipeline. The result depends on the seed, not on the number of threads.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import progress from 'cli-progress'
import { digestOf } from '../../src/core/digest.js'
import { encodePairs } from './encode.js'
import { type ModelFiles, type PartTable, writeModel } from './files.js'
import { fillTable } from './initial.js'
import { createMemory, type Memory, type Settings } from './memory.js'
import { orderPairs } from './order.js'
import { KINDS, type Kind, readPairs } from './pairs.js'
import { chooseVocabulary, type PartVocabulary } from './vocabulary.js'
import { readWordDirections } from './words.js'

const MODEL = fileURLToPath(new URL('../../model/', import.meta.url))
const { values } = parseArgs({
  options: {
    out: { type: 'string', default: MODEL },
    seed: { type: 'string', default: '1' },
    threads: { type: 'string', default: '2' },
    epochs: { type: 'string', default: '4' },
    batch: { type: 'string', default: '512' },
    dropout: { type: 'string', default: '0' },
    scale: { type: 'string', default: '20' },
    rate: { type: 'string', default: '0.003' },
    latin: { type: 'string', default: '14500' },
    han: { type: 'string', default: '25000' },
    // WordNet has many rare words, so each epoch uses half of its pairs.
    weights: { type: 'string', default: '{"gloss":0.5,"synonym":0.5}' },
    start: { type: 'string', default: 'words' },
    cache: { type: 'string' },
    quick: { type: 'boolean', default: false },
  },
})
/** Threads of Node 20 do not inherit the tsx loader. */
const THREAD = `import('tsx/esm/api').then(({ tsImport }) => tsImport('./worker.ts', ${JSON.stringify(import.meta.url)}))`

const quick = values.quick
const start = performance.now()
const { pairs, documents, left } = await read()
const some = quick ? pairs.filter((_, at) => at % 100 === 0) : pairs
const vocabulary = chooseVocabulary(quick ? documents.filter((_, at) => at % 20 === 0) : documents, {
  latin: quick ? 3_000 : Number(values.latin),
  han: quick ? 3_000 : Number(values.han),
})
const { latin, han } = vocabulary
const rowOf = new Map([...latin.terms, ...han.terms].map((term, row) => [term, row]))
const encoded = encodePairs(some, term => rowOf.get(term))
const weights = { ...Object.fromEntries(KINDS.map(kind => [kind, 1])), ...JSON.parse(values.weights) } as Record<
  Kind,
  number
>
const batch = quick ? 128 : Number(values.batch)
const seed = Number(values.seed)
const { order, steps } = orderPairs({
  kinds: encoded.kinds,
  weights: KINDS.map(kind => weights[kind]),
  batch,
  epochs: Number(values.epochs),
  seed,
})
const settings: Settings = {
  rows: rowOf.size,
  dimensions: 256,
  first: 128,
  batch,
  steps,
  scale: Number(values.scale),
  rate: Number(values.rate),
  dropout: Number(values.dropout),
  threads: Number(values.threads),
  seed,
}
const memory = createMemory(settings, encoded, order)
const directions = values.start === 'words' ? await readWordDirections(latin.terms, settings.dimensions) : undefined
fillTable(memory.table, encoded, settings.rows, settings.dimensions, seed, directions)
const ready = performance.now()
console.log(
  `${encoded.kinds.length} pairs, ${latin.terms.length} words, ${han.terms.length} grams, ${steps} steps of ${batch}; left out: ${JSON.stringify(left)}; read in ${seconds(start, ready)} s`,
)
await train(memory)
const trained = performance.now()
console.log(`trained in ${seconds(ready, trained)} s on ${settings.threads} threads`)
write()

async function read(): ReturnType<typeof readPairs> {
  const { cache } = values
  if (cache && existsSync(cache)) return JSON.parse(readFileSync(cache, 'utf8'))
  const made = await readPairs()
  if (cache) writeFileSync(cache, JSON.stringify(made))
  return made
}

async function train(all: Memory): Promise<void> {
  const bar = new progress.SingleBar(
    { format: '{bar} {value}/{total} steps, loss {loss}, {eta_formatted} left', hideCursor: true },
    progress.Presets.shades_classic,
  )
  const shown = process.stderr.isTTY
  if (shown) bar.start(steps, 0, { loss: '-' })
  const recent = (done: number): string => {
    const last = all.losses.subarray(Math.max(0, done - 50), done)
    return (last.reduce((sum, loss) => sum + loss, 0) / Math.max(1, last.length)).toFixed(3)
  }
  let logged = 0
  const timer = setInterval(() => {
    const done = Atomics.load(all.control, 2)
    if (shown) bar.update(done, { loss: recent(done) })
    else if (done - logged >= steps / 10) {
      logged = done
      console.log(`${done}/${steps} steps, loss ${recent(done)}`)
    }
  }, 500)
  try {
    await Promise.all(Array.from({ length: settings.threads }, (_, thread) => runThread(all, thread)))
    if (shown) bar.update(steps, { loss: recent(steps) })
  } finally {
    clearInterval(timer)
    if (shown) bar.stop()
  }
  console.log(`loss ${recent(steps)}`)
}

function runThread(all: Memory, thread: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(THREAD, { eval: true, workerData: { memory: all, thread } })
    worker.once('message', () => resolve())
    worker.once('error', reject)
  })
}

function write(): void {
  const { dimensions, first } = settings
  const part = ({ terms, counts, documents: counted }: PartVocabulary, from: number): PartTable => ({
    terms,
    counts,
    documents: counted,
    rows: memory.table.subarray(from * dimensions, (from + terms.length) * dimensions),
  })
  const files = writeModel({ latin: part(latin, 0), han: part(han, latin.terms.length) }, { dimensions, first, seed })
  mkdirSync(values.out, { recursive: true })
  const names = { latin: 'latin-128', latinRest: 'latin-256', han: 'han-128', hanRest: 'han-256' } as const
  for (const key of Object.keys(names) as (keyof typeof names)[]) {
    writeFileSync(`${values.out}/${names[key]}.bin`, files[key])
    console.log(`${names[key]}.bin ${files[key].length} bytes`)
  }
  if (values.out === MODEL) writeDigests(files)
}

/** The digests that `bundled` checks its files against. */
function writeDigests({ latin, han }: ModelFiles): void {
  const file = new URL('../../src/embed/bundled/digests.ts', import.meta.url)
  const digests = new Map([
    ['latin', digestOf(latin)],
    ['han', digestOf(han)],
  ])
  const text = readFileSync(file, 'utf8').replaceAll(
    /(\w+): 'sha256:\w+'/g,
    (_, part) => `${part}: '${digests.get(part)}'`,
  )
  writeFileSync(file, text)
}

function seconds(from: number, to: number): string {
  return ((to - from) / 1000).toFixed(0)
}
