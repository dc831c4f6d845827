import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterEach } from 'vitest'
import { run } from '../../src/tools/cli/program.js'

const running: { stop(): Promise<number> }[] = []
afterEach(async () => {
  for (const one of running.splice(0)) await one.stop()
})

/** Runs `skillshelf serve` in this process on a free port until the end of the test. Rejects if the command ends by itself. */
export async function serving(argv: readonly string[], cwd: string) {
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
  /** Waits until this text is printed, on either stream. */
  const printed = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const one = (): void => {
        if (!out.includes(text) && !err.includes(text)) return
        waiting.delete(one)
        resolve()
      }
      waiting.add(one)
      void ended.then(code =>
        reject(new Error(`serve ended with ${code} before it printed ${text}: ${err}`)),
      )
      one()
    })
  await printed('Press Ctrl-C to stop')
  const one = {
    /** URL with a trailing slash. */
    address: /http:\/\/\S+\//.exec(out)?.[0] ?? '',
    /** Output so far. */
    out: () => out,
    err: () => err,
    printed,
    /** Stops the server and returns the exit code. */
    stop(): Promise<number> {
      stopping.abort()
      return ended
    },
  }
  running.push(one)
  return one
}

/** Connects an MCP client to a server at an address with a trailing slash. */
export async function connectMcp(
  address: string,
  fetchMcp: typeof fetch = fetch,
): Promise<Client & AsyncDisposable> {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(
    new StreamableHTTPClientTransport(new URL('mcp', address), { fetch: fetchMcp }),
  )
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() })
}
