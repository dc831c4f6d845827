import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname } from 'node:path'
import { gzipSync } from 'node:zlib'

/** The purpose of a file. */
export type Kind = 'script' | 'wasm' | 'library' | 'model'

/** Compressed bytes sent by kind, and the number of requests. */
export type Traffic = Record<Kind, number> & { requests: number }

/** A static host on loopback, with gzip and immutable caching of content-hashed names. */
export interface Host {
  readonly origin: string
  add(files: ReadonlyMap<string, Uint8Array>): void
  /**
   * Resets the counters, and resolves with the next report and the traffic until it arrived. `moments` has the traffic until each POST to
   * `/moment` before it.
   */
  listen(): Promise<{ report: unknown; traffic: Traffic; moments: readonly Traffic[] }>
  close(): Promise<void>
}

interface Stored {
  headers: Record<string, string>
  bytes: Uint8Array
  /** The body of a full response. */
  body: Uint8Array
  kind: Kind
}

interface SentPart extends Pick<Stored, 'headers' | 'body'> {
  status: number
}

/** Types of texts, which static hosts compress. */
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.wasm': 'application/wasm',
}
const DIGEST_NAMED = /\/assets\/|\.(?:seg|vec)$/
/** Cross-origin isolation gives a clock of 5 µs instead of 100. Not for transformers, which would start threads. */
const ISOLATED = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
}

/** @param options `compresses`: sends texts with gzip. Default true. */
export async function startHost({ compresses = true } = {}): Promise<Host> {
  const stored = new Map<string, Stored>()
  let traffic = noTraffic()
  let moments: Traffic[] = []
  let onReport = (_: { report: unknown; traffic: Traffic; moments: readonly Traffic[] }): void => {}

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method === 'POST') {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      response.writeHead(204).end()
      if (request.url === '/moment') moments.push({ ...traffic })
      else onReport({ report: JSON.parse(Buffer.concat(chunks).toString()), traffic, moments })
      return
    }
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    const file = stored.get(decodeURIComponent(pathname).slice(1))
    traffic.requests++
    if (!file) {
      response.writeHead(404).end()
    } else if (request.headers['if-none-match'] === file.headers['etag']) {
      response.writeHead(304, file.headers).end()
    } else {
      const sent = partOf(file, request.headers.range)
      traffic[file.kind] += sent.body.length
      response
        .writeHead(sent.status, { ...sent.headers, 'content-length': sent.body.length })
        .end(sent.body)
    }
  }

  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add(files) {
      for (const [path, bytes] of files) stored.set(path, store(path, bytes, compresses))
    },
    listen() {
      traffic = noTraffic()
      moments = []
      return new Promise(resolve => {
        onReport = resolve
      })
    },
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

/** A full or partial response. transformers.js requests the first byte of each file to learn its size. */
function partOf({ headers, bytes, body }: Stored, range: string | undefined): SentPart {
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? []
  if (from === undefined || to === undefined) return { status: 200, headers, body }
  const { 'content-encoding': _, ...rest } = headers
  const part = bytes.subarray(Number(from), Number(to) + 1)
  const last = Number(from) + part.length - 1
  return {
    status: 206,
    headers: { ...rest, 'content-range': `bytes ${from}-${last}/${bytes.length}` },
    body: part,
  }
}

function noTraffic(): Traffic {
  return { script: 0, wasm: 0, library: 0, model: 0, requests: 0 }
}

/** Compressed in advance, so that responses do not wait for it. */
function store(path: string, bytes: Uint8Array, compresses: boolean): Stored {
  const type = TYPES[extname(path)]
  const isCompressed = type !== undefined && compresses
  const body = isCompressed ? new Uint8Array(gzipSync(bytes)) : bytes
  return {
    kind: kindOf(path),
    bytes,
    body,
    headers: {
      'content-type': type ?? 'application/octet-stream',
      'cache-control': DIGEST_NAMED.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache',
      etag: `"${createHash('sha1').update(body).digest('hex')}"`,
      ...(isCompressed ? { 'content-encoding': 'gzip', vary: 'accept-encoding' } : {}),
      ...(path.startsWith('large/') ? ISOLATED : {}),
    },
  }
}

function kindOf(path: string): Kind {
  if (/^(skills|encoded|large)\/.*\.(seg|vec|json)$|^texts\.json$/.test(path)) return 'library'
  if (path.endsWith('.wasm')) return 'wasm'
  return path.startsWith('models/') || path.endsWith('.bin') ? 'model' : 'script'
}
