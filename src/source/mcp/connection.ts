import type { Client } from '@modelcontextprotocol/client'
import type { SkillsClient } from '@modelcontextprotocol/client/ext/skills'
import { errorMessage, SkillshelfError } from '../../core/errors.js'
import { VERSION } from '../../core/version.js'

/** A server that was connected to. */
export interface McpConnection {
  client: Client
  /** The Skills extension, which a server need not have. */
  skills: SkillsClient
}

export interface ConnectOptions {
  fetch: ((url: string | URL, init?: RequestInit) => Promise<Response>) | undefined
  headers: Readonly<Record<string, string>>
  /** Milliseconds. */
  timeout: number
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
export async function connectMcp(
  url: URL,
  { fetch, headers, timeout, onChange, signal }: ConnectOptions,
): Promise<McpConnection> {
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
  const transport = new StreamableHTTPClientTransport(url, {
    ...(fetch ? { fetch } : {}),
    requestInit: { headers: { ...headers } },
  })
  await client.connect(transport, { timeout, ...(signal ? { signal } : {}) })
  const skills = new SkillsClient(client, {
    skipInvalid: true,
    // Ours reads what theirs refuses, such as a multi-line text in quotes.
    parseFrontmatter: yaml => readFrontmatter(yaml, 1).values,
  })
  return { client, skills }
}
