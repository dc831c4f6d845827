import { afterEach } from 'vitest'
import { run } from '../../src/tools/cli/program.js'

export interface Serving {
  /** URL with a trailing slash. */
  address: string
  /** Output so far. */
  out(): string
  err(): string
  /** Waits until this text is printed, on either stream. */
  printed(text: string): Promise<void>
  /** Stops the server and returns the exit code. */
  stop(): Promise<number>
}

const running: Serving[] = []
afterEach(async () => {
  for (const one of running.splice(0)) await one.stop()
})

/** Runs `skillshelf serve` in this process on a free port until the end of the test. Rejects if the command ends by itself. */
export async function serving(argv: readonly string[], cwd: string): Promise<Serving> {
  const stopping = new AbortController()
  const waiting = new Set<() => void>()
  let out = ''
  let err = ''
  const notify = (): void => {
    for (const one of waiting) one()
  }
  const ended = run(['serve', ...argv, '--port', '0'], {
    stdout: text => {
      out += text
      notify()
    },
    stderr: text => {
      err += text
      notify()
    },
    cwd,
    isTTY: false,
    signal: stopping.signal,
  })
  const printed = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const one = (): void => {
        if (!out.includes(text) && !err.includes(text)) return
        waiting.delete(one)
        resolve()
      }
      waiting.add(one)
      void ended.then(code => reject(new Error(`serve ended with ${code} before it printed ${text}: ${err}`)))
      one()
    })
  await printed('Press Ctrl-C to stop')
  const one: Serving = {
    address: /http:\/\/\S+\//.exec(out)?.[0] ?? '',
    out: () => out,
    err: () => err,
    printed,
    stop() {
      stopping.abort()
      return ended
    },
  }
  running.push(one)
  return one
}
