import type { Client } from '@modelcontextprotocol/client'
import type { SkillsClient } from '@modelcontextprotocol/client/ext/skills'
import { abortable } from '../../core/abort.js'
import { errorMessage, SkillshelfError } from '../../core/errors.js'
import { VERSION } from '../../core/version.js'
import { tooLarge } from '../http/response.js'
import { limitedResponse } from './limited-response.js'

/** A server that was connected to. */
export interface McpConnection {
  client: Client
  /** The Skills extension, which a server need not have. */
  skills: SkillsClient
  /** Fires with the error of a response that was too long. A request whose answer was in it would wait for its timeout. */
  excess: AbortSignal
}

export interface ConnectOptions {
  fetch: ((url: string | URL, init?: RequestInit) => Promise<Response>) | undefined
  headers: Readonly<Record<string, string>>
  /** Milliseconds. */
  timeout: number
  /** Bytes that a response may have, and an event of a stream. */
  maxBytes: number
  /** Called when the server says that its skills have changed. Without it, no stream is opened. */
  onChange: (() => void) | undefined
  signal: AbortSignal | undefined
}

/** The official client, which is a peer. @throws SkillshelfError `module-failed` */
async function loadClient() {
  try {
    const [base, extension, yaml] = await Promise.all([
      import('@modelcontextprotocol/client'),
      import('@modelcontextprotocol/client/ext/skills'),
      import('../../skill/yaml-reader.js'),
    ])
    return { ...base, ...extension, ...yaml }
  } catch (error) {
    throw new SkillshelfError(
      'module-failed',
      `mcp() could not load @modelcontextprotocol/client: ${errorMessage(error)}`,
      { hint: 'install it with: npm install @modelcontextprotocol/client' },
      error,
    )
  }
}

/** Connects over Streamable HTTP. */
export async function connectMcp(url: URL, options: ConnectOptions): Promise<McpConnection> {
  const { fetch = globalThis.fetch, headers, timeout, maxBytes, onChange, signal } = options
  const { Client, SkillsClient, StreamableHTTPClientTransport, readFrontmatter } =
    await loadClient()
  const client = new Client(
    { name: 'skillshelf', version: VERSION },
    {
      versionNegotiation: { mode: 'auto' },
      ...(onChange
        ? { listChanged: { resources: { autoRefresh: false, debounceMs: 0, onChanged: onChange } } }
        : {}),
    },
  )
  const excess = new AbortController()
  const onExcess = (): SkillshelfError => {
    const error = tooLarge(url.href, maxBytes)
    excess.abort(error)
    return error
  }
  const transport = new StreamableHTTPClientTransport(url, {
    // Called without a receiver: a Worker's fetch refuses any other.
    fetch: async (input, init) => limitedResponse(await fetch(input, init), maxBytes, onExcess),
    requestInit: { headers: { ...headers } },
  })
  try {
    const connecting = client.connect(transport, { timeout, ...(signal ? { signal } : {}) })
    await abortable(connecting, excess.signal)
  } catch (error) {
    client.close().catch(() => undefined)
    throw excess.signal.aborted ? excess.signal.reason : error
  }
  const skills = new SkillsClient(client, {
    skipInvalid: true,
    // Ours reads what theirs refuses, such as a multi-line text in quotes.
    parseFrontmatter: yaml => readFrontmatter(yaml, 1).values,
  })
  return { client, skills, excess: excess.signal }
}
