/**
 * Looks for orders of steps and failures that leave a library unlike one rebuilt from its files: see test/trace.
 *
 *     npm run trace -- --minutes 30                        every world, with seeds of its own
 *     npm run trace -- --minutes 5 --world store --seed 7   one world, from this seed on
 *     npm run trace -- --world store --seed 7 --path 3:1    one trace again, as it was printed
 */
import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '0' },
    world: { type: 'string' },
    seed: { type: 'string' },
    path: { type: 'string' },
  },
})
const { minutes, seed, ...rest } = values
const options = {
  ...rest,
  minutes: Number(minutes),
  ...(seed === undefined ? {} : { seed: Number(seed) }),
}
const args = [
  'node_modules/vitest/vitest.mjs',
  'run',
  '--project',
  'unit',
  'test/unit/trace.test.ts',
]
const { status } = spawnSync(process.execPath, args, {
  stdio: 'inherit',
  env: { ...process.env, TRACE: JSON.stringify(options) },
})
process.exitCode = status ?? 1
