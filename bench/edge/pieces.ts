/**
 * Measures the Worker over R2 with a large library in pieces: npm run bench:edge:pieces [-- --skills 100000 --packed FOLDER] [--docs]
 * `--packed` has the files of an earlier run, or gets them: packing 100,000 skills takes minutes. `--docs` writes the table of
 * docs/measured.md. Needs ../shared/data.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { readPiecedCatalog } from '../../src/library/catalog/pieced-catalog.js'
import { pack } from '../../src/library/store/pack/pack.js'
import { bundled } from '../../src/search/model/bundled/package.js'
import { CATALOG_FILE } from '../../src/source/catalog-file.js'
import { memory } from '../../src/source/memory.js'
import { quantile } from '../rank/measure.js'
import { writeSection } from '../report/docs.js'
import { markdownTable } from '../report/table.js'
import { messages, readDocuments } from '../speed/documents.js'
import { build, clean, type Isolate, openIsolate } from './isolate.js'

const { values } = parseArgs({
  options: {
    skills: { type: 'string', default: '100000' },
    packed: { type: 'string' },
    docs: { type: 'boolean', default: false },
  },
})
const folder = values.packed ?? mkdtempSync(join(tmpdir(), 'skillshelf-pieces-'))
if (!existsSync(join(folder, CATALOG_FILE))) await packInto(folder, Number(values.skills))
const files = readPacked(folder)
const catalog = await readPiecedCatalog(files.get(CATALOG_FILE) as Uint8Array<ArrayBuffer>, '')
if (!catalog) throw new Error(`${folder} has no library in pieces`)
const list = files.get(catalog.list)?.length ?? 0
const pieces = [...files.values()].reduce((sum, { length }) => sum + length, 0)

const worker = build(true)
const persist = mkdtempSync(join(tmpdir(), 'skillshelf-r2-'))
{
  const first = await openIsolate(worker, persist)
  await first.put(files)
  await first.close()
}
const rows: string[][] = []
for (const [kind, asked] of Object.entries(messages)) rows.push(await measure(kind, asked))
const { held, peak } = await memoryOf()
clean(worker, persist)
const text = [
  `${catalog.skills.toLocaleString('en')} skills: ${files.size.toLocaleString('en')} files, ${mb(pieces)}, of which the list has ${kb(list)}.`,
  markdownTable(
    [
      'messages',
      'R2 reads, first match',
      'KB read',
      'R2 reads, same again',
      'R2 reads, another one',
      'CPU of the first match, ms',
      'of its thread alone',
      'of the next one',
    ],
    rows,
  ),
  `Memory of an isolate: ${mb(held)} after ${Object.values(messages).flat().length} messages, at most ${mb(peak)} while the first is answered.`,
].join('\n\n')
console.log(text)
if (values.docs) writeSection('edge-pieces', text)

/** Skills as `bench:engine:scale` repeats them. Each has a name of its own, so that none is a copy. */
async function packInto(target: string, skills: number): Promise<void> {
  const all = readDocuments(skills).map(({ name, description, body }, at) => {
    const fields = `name: ${JSON.stringify(`${name.slice(0, 200)}-${at}`)}\ndescription: ${JSON.stringify(description)}`
    return [`all/${at}/SKILL.md`, `---\n${fields}\n---\n${body}\n`] as const
  })
  // Some have keys of examples.
  const allow = ['all']
  const source = memory(Object.fromEntries(all), { name: 'skills' })
  const embedder = await bundled({ parts: 'all' })
  for await (const { path, bytes, part } of pack(source, { embedder, pieces: true, allow })) {
    if (part !== 'piece' && part !== 'catalog') continue
    const file = join(target, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, bytes)
  }
}

/** The catalog and the pieces. The whole index beside them is not read. */
function readPacked(from: string): Map<string, Uint8Array> {
  const paths = readdirSync(join(from, 'files')).filter(name => name.endsWith('.piece'))
  return new Map(
    [CATALOG_FILE, ...paths.map(name => `files/${name}`)].map(path => [
      path,
      new Uint8Array(readFileSync(join(from, path))),
    ]),
  )
}

/** Medians of fresh isolates, one for each message. The CPU of the simulated bucket and cache is not counted. */
async function measure(kind: string, asked: readonly string[]): Promise<string[]> {
  const measured: number[][] = []
  for (const [at, message] of asked.entries()) {
    const isolate = await openIsolate(worker, persist)
    const cold = await cpuOf(isolate, message)
    const first = await stateOf(isolate)
    await ask(isolate, message)
    const again = await stateOf(isolate)
    const next = await cpuOf(isolate, asked[(at + 1) % asked.length] as string)
    const other = await stateOf(isolate)
    const alone = await readAlone(first.paths)
    await isolate.close()
    measured.push([
      first.reads,
      first.bytes / 1_000,
      again.reads - first.reads,
      other.reads - again.reads,
      cold.all - alone.all,
      cold.requests - alone.requests,
      next.all,
    ])
  }
  const median = (column: number): string =>
    quantile(
      measured.map(row => row[column] as number),
      0.5,
    ).toFixed(0)
  return [kind, ...[0, 1, 2, 3, 4, 5, 6].map(median)]
}

/** The CPU of an isolate that reads the same files and does nothing with them. */
async function readAlone(paths: readonly string[]) {
  const isolate = await openIsolate(worker, persist)
  // The first request includes compiling the Worker's code.
  await (await isolate.fetch('/bench/read-cached', { method: 'POST', body: '[]' })).text()
  const body = JSON.stringify(paths)
  const spent = await isolate.cpu(async () =>
    (await isolate.fetch('/bench/read-cached', { method: 'POST', body })).text(),
  )
  await isolate.close()
  return spent
}

async function memoryOf(): Promise<{ held: number; peak: number }> {
  const isolate = await openIsolate(worker, persist, { inspected: true })
  const [first = '', ...others] = Object.values(messages).flat()
  let peak = 0
  let opening = true
  const answer = ask(isolate, first).finally(() => {
    opening = false
  })
  while (opening) peak = Math.max(peak, await isolate.memory())
  await answer
  for (const message of others) await ask(isolate, message)
  const held = await isolate.memory(true)
  await isolate.close()
  return { held, peak }
}

async function ask(isolate: Isolate, message: string): Promise<void> {
  const answer = await isolate.fetch(`/v1/match?message=${encodeURIComponent(message)}`)
  if (!answer.ok) throw new Error(await answer.text())
  await answer.text()
}

function cpuOf(isolate: Isolate, message: string) {
  return isolate.cpu(() => ask(isolate, message))
}

async function stateOf(isolate: Isolate) {
  const answer = await isolate.fetch('/bench/state')
  return (await answer.json()) as { reads: number; bytes: number; paths: string[] }
}

function kb(bytes: number): string {
  return `${Math.round(bytes / 1_000)} KB`
}

function mb(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}
