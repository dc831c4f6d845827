import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Runs a script that prints JSON in a child process. This process keeps running, because it may host the files. */
export async function runInChildProcess<Result>(script: URL, ...args: string[]): Promise<Result> {
  const file = fileURLToPath(script)
  const run = spawn(
    process.execPath,
    ['--expose-gc', '--max-old-space-size=8192', '--import', 'tsx', file, ...args],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const ended = new Promise<number | null>((resolve, reject) => {
    run.on('error', reject)
    run.on('close', resolve)
  })
  const chunks: Buffer[] = []
  for await (const chunk of run.stdout) chunks.push(chunk)
  if ((await ended) !== 0) throw new Error(`${file} ${args.join(' ')} failed`)
  return JSON.parse(Buffer.concat(chunks).toString()) as Result
}
