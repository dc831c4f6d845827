/**
 * Trains the encoder and writes its files:
 *     npm run train:encoder -- [--out DIR] [--work DIR] [--minutes N] [--seed N] [--device cuda]
 *     [--resume]
 *
 * Python 3.11 or later does the arithmetic; its packages are installed in node_modules/.encoder. `--work`: a folder for files between the
 * steps. `--resume`: goes on from the last checkpoint in it.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { digestOf } from '../../src/core/digest.js'
import { writeExamples } from './examples.js'

const ENCODER = fileURLToPath(new URL('../../model/encoder/', import.meta.url))
const PYTHON = fileURLToPath(new URL('../../node_modules/.encoder/', import.meta.url))
const { values } = parseArgs({
  options: {
    out: { type: 'string', default: ENCODER },
    work: { type: 'string', default: join(PYTHON, 'work') },
    minutes: { type: 'string', default: '600' },
    seed: { type: 'string', default: '1' },
    device: { type: 'string', default: 'cpu' },
    resume: { type: 'boolean', default: false },
  },
})

mkdirSync(values.work, { recursive: true })
installPython()
if (!existsSync(join(values.work, 'examples.jsonl'))) console.log(await writeExamples(values.work))
if (!existsSync(join(values.work, 'twins.npz'))) runPython('prepare.py', [values.work])
runPython('train.py', [
  values.work,
  values.out,
  ...['--minutes', values.minutes, '--seed', values.seed, '--device', values.device],
  ...(values.resume ? ['--resume'] : []),
])

if (values.out === ENCODER) writeDigests()

/** The digests that `transformers` checks the files against. */
function writeDigests(): void {
  const file = new URL('../../src/search/model/transformers/digests.ts', import.meta.url)
  const text = readFileSync(file, 'utf8').replaceAll(
    /'([^']+)': 'sha256:\w+'/g,
    (_, name: string) => `'${name}': '${digestOf(readFileSync(join(ENCODER, name)))}'`,
  )
  writeFileSync(file, text)
}

function installPython(): void {
  if (existsSync(join(PYTHON, 'bin/python'))) return
  execFileSync('python3', ['-m', 'venv', PYTHON], { stdio: 'inherit' })
  execFileSync(
    join(PYTHON, 'bin/pip'),
    ['install', '--quiet', '--requirement', fileOf('requirements.txt')],
    {
      stdio: 'inherit',
    },
  )
}

function runPython(script: string, args: readonly string[]): void {
  // Two threads that wait for each other must not spin if the machine has other work.
  const env = { ...process.env, OMP_WAIT_POLICY: 'PASSIVE', GOMP_SPINCOUNT: '0' }
  execFileSync(join(PYTHON, 'bin/python'), ['-u', fileOf(script), ...args], {
    stdio: 'inherit',
    env,
  })
}

function fileOf(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url))
}
