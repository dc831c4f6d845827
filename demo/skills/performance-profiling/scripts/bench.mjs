#!/usr/bin/env node
// Runs a command several times and prints the distribution of its wall time.
// Usage: node bench.mjs [--runs 20] [--warmup 2] -- command [arguments]
import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'

const split = process.argv.indexOf('--')
const { values } = parseArgs({
  args: process.argv.slice(2, split < 0 ? undefined : split),
  options: { runs: { type: 'string', default: '20' }, warmup: { type: 'string', default: '2' } },
})
const [command, ...args] = split < 0 ? [] : process.argv.slice(split + 1)
const runs = Number(values.runs)
const warmup = Number(values.warmup)
if (!command || !Number.isInteger(runs) || runs < 2 || !Number.isInteger(warmup) || warmup < 0) {
  console.error('usage: node bench.mjs [--runs 20] [--warmup 2] -- command [arguments]')
  process.exit(2)
}

const times = []
for (let run = -warmup; run < runs; run++) {
  const start = performance.now()
  const { status, error } = spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  const time = performance.now() - start
  if (error || status !== 0) {
    console.error(`${command} failed: ${error?.message ?? `exit code ${status}`}`)
    process.exit(1)
  }
  if (run >= 0) times.push(time)
}

times.sort((a, b) => a - b)
const percentile = p => times[Math.min(times.length - 1, Math.ceil((p / 100) * times.length) - 1)]
const [low, median, high] = [percentile(25), percentile(50), percentile(75)]
const ms = time => `${time.toFixed(1)} ms`
console.log(`runs    ${runs}`)
console.log(`minimum ${ms(times[0])}`)
console.log(`median  ${ms(median)}`)
console.log(`p95     ${ms(percentile(95))}`)
if (high - low > median / 10) console.log(`Noisy: the middle half of the runs spans ${ms(high - low)}.`)
