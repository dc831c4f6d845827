/**
 * Trains the bundled model and writes its files:
 *     npm run train -- [--out DIR] [--work DIR] [--seed N] [--steps N] [--dev] [--quick]
 *
 * Python 3.11 or later does the arithmetic (train.py); its packages are installed in node_modules/.training.
 * `--work`: a folder for files between the steps; the teachers' vectors in it are used again.
 * `--dev`: holds out the messages of an eighth of the skills and prints how often their skill is found. Give `--out` as well.
 * `--quick`: a small sample, to test the pipeline.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { PARTS, type Part } from '../../src/search/model/script-parts.js'
import { isHeldOut } from '../messages/read.js'
import { digestsModule } from './digests.js'
import { writeTrainingFiles } from './encode.js'
import { type ModelFiles, type PartTable, writeModel } from './files.js'
import { readPairs } from './pairs.js'
import { chooseVocabulary } from './vocabulary.js'
import { addWordPairs } from './words.js'

const MODEL = fileURLToPath(new URL('../../model/', import.meta.url))
const PYTHON = fileURLToPath(new URL('../../node_modules/.training/', import.meta.url))
const { values } = parseArgs({
  options: {
    out: { type: 'string', default: MODEL },
    work: { type: 'string', default: join(PYTHON, 'work') },
    seed: { type: 'string', default: '1' },
    steps: { type: 'string', default: '4000' },
    dev: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
  },
})
if (values.dev && values.out === MODEL) {
  throw new Error('--dev needs --out: the model that ships learns all messages')
}
/** Dimensions of the model. */
const DIMENSIONS = 128

mkdirSync(values.work, { recursive: true })
installPython()
const { pairs, documents, left } = await readPairs()
addWordPairs(join(PYTHON, 'bin/python'), values.work, pairs, documents)
if (values.dev) {
  for (const pair of pairs) {
    if (pair.kind === 'message' && isHeldOut(pair.group)) pair.kind = 'held-out'
  }
}
const some = values.quick ? pairs.filter((_, at) => at % 100 === 0) : pairs
const vocabulary = chooseVocabulary(
  values.quick ? documents.filter((_, at) => at % 20 === 0) : documents,
  values.quick ? 0.1 : 1,
)
const count = writeTrainingFiles(some, vocabulary, values.work)
console.log(`${count} pairs; left out: ${JSON.stringify(left)}`)
const steps = values.quick ? '50' : values.steps
execFileSync(
  join(PYTHON, 'bin/python'),
  [
    fileURLToPath(new URL('train.py', import.meta.url)),
    values.work,
    ...['--dimensions', String(DIMENSIONS), '--steps', steps, '--seed', values.seed],
  ],
  { stdio: 'inherit' },
)
write()

function installPython(): void {
  if (existsSync(join(PYTHON, 'bin/python'))) return
  execFileSync('python3', ['-m', 'venv', PYTHON], { stdio: 'inherit' })
  const requirements = fileURLToPath(new URL('requirements.txt', import.meta.url))
  execFileSync(join(PYTHON, 'bin/pip'), ['install', '--quiet', '--requirement', requirements], {
    stdio: 'inherit',
  })
}

function write(): void {
  const bytes = readFileSync(join(values.work, 'table.bin'))
  const table = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4)
  let from = 0
  const tables = {} as Record<Part, PartTable>
  for (const part of PARTS) {
    const { terms, counts, documents: total } = vocabulary[part]
    const to = from + terms.length * DIMENSIONS
    tables[part] = { terms, counts, documents: total, rows: table.subarray(from, to) }
    from = to
  }
  const files = writeModel(tables, { dimensions: DIMENSIONS, seed: Number(values.seed) })
  mkdirSync(values.out, { recursive: true })
  for (const part of PARTS) {
    writeFileSync(join(values.out, `${part}.bin`), files[part])
    console.log(`${part}.bin ${files[part].length} bytes`)
  }
  if (values.out === MODEL) writeDigests(files)
}

/** The digests that `bundled` checks its files against. */
function writeDigests(files: ModelFiles): void {
  const file = new URL('../../src/search/model/bundled/digests.ts', import.meta.url)
  writeFileSync(file, digestsModule(files))
}
