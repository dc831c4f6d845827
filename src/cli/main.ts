#!/usr/bin/env node
import { run } from './program.js'

const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())
// A reader that has seen enough (`| head`) closes the pipe: that is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : 2)
})

process.exitCode = await run(process.argv.slice(2), {
  stdout: text => void process.stdout.write(text),
  stderr: text => void process.stderr.write(text),
  cwd: process.cwd(),
  isTTY: process.stdout.isTTY === true,
  ...(process.stdout.isTTY ? { columns: process.stdout.columns } : {}),
  env: process.env,
  signal: stopping.signal,
  ...(process.stderr.isTTY ? { progress: process.stderr } : {}),
})
