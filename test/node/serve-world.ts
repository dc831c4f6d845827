import { afterEach } from 'vitest'
import { run } from '../../src/cli/program.js'

export interface Serving {
  /** Where it is served, with a slash at the end. */
  address: string
  /** What was printed so far. */
  out(): string
  err(): string
  /** Waits until this was printed, on either stream. */
  printed(text: string): Promise<void>
  /** Stops it; gives the exit code. */
  stop(): Promise<number>
}

const running: Serving[] = []
afterEach(async () => {
  for (const one of running.splice(0)) await one.stop()
})

/** `skillshelf serve` in this process, on a free port, stopped after the test. Fails where the command ends by itself. */
export async function serving(argv: readonly string[], cwd: string): Promise<Serving> {
  const stopping = new AbortController()
  const waiting = new Set<() => void>()
  let out = ''
  let err = ''
  const look = (): void => {
    for (const one of waiting) one()
  }
  const ended = run(['serve', ...argv, '--port', '0'], {
    stdout: text => {
      out += text
      look()
    },
    stderr: text => {
      err += text
      look()
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
      void ended.then(code => reject(new Error(`it ended with ${code} before it printed ${text}: ${err}`)))
      one()
    })
  await printed('Stop with Ctrl-C')
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
