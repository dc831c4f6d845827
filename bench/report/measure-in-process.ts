import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Runs a script that prints JSON in a new process, so that measurements do not share a heap. */
export function measureInProcess<Result>(script: URL, ...args: string[]): Result {
  const file = fileURLToPath(script)
  const run = spawnSync(
    process.execPath,
    ['--expose-gc', '--max-old-space-size=8192', '--import', 'tsx', file, ...args],
    { stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 1e8 },
  )
  if (run.status !== 0) throw new Error(`${file} ${args.join(' ')} exited with code ${run.status}`)
  return JSON.parse(run.stdout.toString()) as Result
}
