#!/usr/bin/env node
import { run } from './program.js'

const interrupted = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort())
// A reader such as `head` closes the pipe once it has enough. That is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : 2)
})

process.exitCode = await run(process.argv.slice(2), {
  stdout: text => void process.stdout.write(text),
  stderr: text => void process.stderr.write(text),
  cwd: process.cwd(),
  isTTY: process.stdout.isTTY === true,
  columns: process.stdout.isTTY ? process.stdout.columns : undefined,
  env: process.env,
  signal: interrupted.signal,
  progress: process.stderr.isTTY ? process.stderr : undefined,
})
