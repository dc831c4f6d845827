import type { Skill, SkillsClient } from '@modelcontextprotocol/client/ext/skills'
import { abortable } from '../../core/abort.js'
import { errorMessage, SkillshelfError, throwIfAborted } from '../../core/errors.js'
import { checkOptionNames, type OptionNames } from '../../core/text/option-names.js'
import { parseAddress } from '../http/address.js'
import { MAX_BYTES } from '../http/response.js'
import type { ListableSource, ReadResult } from '../source.js'
import { connectMcp, type McpConnection } from './connection.js'
import { listMcp, type McpFile, type McpListing } from './listing.js'

/** Options of `mcp`. */
export interface McpOptions {
  /** Name of the source: the first part of its skills' ids. @default The host of the URL */
  name?: string | undefined
  /** The `fetch` implementation, which can add a token and renew it. @default globalThis.fetch */
  fetch?: ((url: string | URL, init?: RequestInit) => Promise<Response>) | undefined
  /** Headers of each request, such as `authorization`. Sent to the URL's own origin only. */
  headers?: Readonly<Record<string, string>> | undefined
  /** Keeps a stream open on which the server reports changes, so that libraries follow them. @default false */
  watch?: boolean | undefined
  /** Milliseconds that a request may take. @default 30000 */
  timeout?: number | undefined
  /** The most bytes of a response: a list of skills, or a file. @default 256 MiB */
  maxBytes?: number | undefined
}

const TIMEOUT = 30_000
const OPTIONS = {
  name: 1,
  fetch: 1,
  headers: 1,
  watch: 1,
  timeout: 1,
  maxBytes: 1,
} satisfies OptionNames<McpOptions>
/** Codes with which servers say that there is no such file. */
const NOT_FOUND: ReadonlySet<unknown> = new Set([-32602, -32002])

/**
 * Reads the skills of an MCP server over Streamable HTTP. Needs `@modelcontextprotocol/client`, which is loaded with the first request.
 *
 * Skills are listed by the Skills extension, and each file is verified by the size and digest that the server lists for it. A server without
 * the extension is asked for resources such as `skill://tea/SKILL.md`, which nothing verifies. A listing is used again for as long as the
 * server allows. A skill with more than 512 files or 16 MiB is reported as unreadable.
 * @param url Endpoint of the server.
 * @returns A source, which cannot be written to. `list` and `read` throw `source-failed` if the server fails, or a file is not what
 * it lists, and `too-large` for a response over `maxBytes`.
 * @throws SkillshelfError `invalid-input` if the URL is not valid
 * @example
 * ```ts
 * const library = await openLibrary(mcp('https://example.com/mcp', { headers: { authorization: 'Bearer secret' } }))
 * ```
 */
export function mcp(url: string | URL, options: McpOptions = {}): ListableSource {
  checkOptionNames(options, OPTIONS)
  const { url: address } = parseAddress(url)
  const { name = address.host, headers = {}, fetch } = options
  const { timeout = TIMEOUT, maxBytes = MAX_BYTES } = options
  const listeners = new Set<() => void>()
  let opening: Promise<McpConnection> | undefined
  let held: { listing: McpListing; until: number } | undefined

  const onChange = (): void => {
    held = undefined
    for (const listener of listeners) listener()
  }
  const connect = (signal: AbortSignal | undefined): Promise<McpConnection> => {
    opening ??= connectMcp(address, {
      ...{ fetch, headers, timeout, maxBytes, signal },
      onChange: options.watch ? onChange : undefined,
    })
    return opening
  }
  const close = async (): Promise<void> => {
    const closing = opening
    opening = undefined
    await closing?.then(({ client }) => client.close()).catch(() => undefined)
  }
  /** Runs a request. Where there is no answer, the next connects anew: a session may have ended. */
  const request = async <T>(
    subject: string,
    signal: AbortSignal | undefined,
    run: (connection: McpConnection) => Promise<T>,
  ): Promise<T> => {
    throwIfAborted(signal)
    let connection: McpConnection | undefined
    try {
      connection = await connect(signal)
      return await abortable(run(connection), connection.excess)
    } catch (cause) {
      const error: unknown = connection?.excess.aborted ? connection.excess.reason : cause
      if (!isAnswer(error)) await close()
      throwIfAborted(signal)
      if (error instanceof SkillshelfError) throw error
      const message = `${subject} could not be read from ${address.href}: ${errorMessage(error)}`
      throw new SkillshelfError('source-failed', message, { subject }, error)
    }
  }
  const list = async (signal: AbortSignal | undefined): Promise<McpListing> => {
    if (held && Date.now() < held.until) return held.listing
    const listing = await request('The list of skills', signal, connection =>
      listMcp(connection, requestOptions(timeout, signal)),
    )
    held = { listing, until: Date.now() + listing.ttl }
    return listing
  }
  return {
    name,
    // Each request has one.
    timeout: Number.POSITIVE_INFINITY,
    async list({ signal } = {}) {
      const { files, problems } = await list(signal)
      const entries = [...files].map(([path, { size, digest }]) => ({
        path,
        ...(size === undefined ? {} : { size }),
        ...(digest === undefined ? {} : { version: digest }),
      }))
      return [...entries, ...problems]
    },
    async read(path, { ifVersion, signal } = {}) {
      throwIfAborted(signal)
      const listing = held?.listing ?? (await list(signal))
      const file = listing.files.get(path)
      if (!file) return undefined
      if (ifVersion !== undefined && ifVersion === file.digest) return 'unchanged'
      return request(path, signal, connection =>
        readFile(connection, file, requestOptions(timeout, signal)),
      )
    },
    close,
    ...(options.watch
      ? {
          watch: (listener: () => void) => {
            listeners.add(listener)
            return () => void listeners.delete(listener)
          },
        }
      : {}),
  }
}

/** Whether the server has answered, and the connection lasts. */
function isAnswer(error: unknown): boolean {
  return error instanceof Error && /^(?:SkillVerification|Protocol)Error$/.test(error.name)
}

interface RequestOptions {
  timeout: number
  signal?: AbortSignal
}

function requestOptions(timeout: number, signal: AbortSignal | undefined): RequestOptions {
  return { timeout, ...(signal ? { signal } : {}) }
}

async function readFile(
  { client, skills }: McpConnection,
  { uri, skill }: McpFile,
  options: RequestOptions,
): Promise<ReadResult | undefined> {
  try {
    if (skill) return await readVerified(skills, skill, uri, options)
    const { contents } = await client.readResource({ uri }, options)
    const [content] = contents
    if (!content) return undefined
    return {
      bytes:
        'text' in content
          ? new TextEncoder().encode(content.text)
          : Uint8Array.from(atob(content.blob), character => character.charCodeAt(0)),
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && NOT_FOUND.has(error.code)) return undefined
    throw error
  }
}

/** Reads a file of a skill. If it is not what the skill listed, the skill may have changed since, and is asked for once more. */
async function readVerified(
  skills: SkillsClient,
  skill: Skill,
  uri: string,
  options: RequestOptions,
): Promise<ReadResult> {
  const read = async (listed: Skill): Promise<ReadResult> => {
    const { bytes } = await skills.read(listed, uri, options)
    const digest = digestIn(listed, uri)
    return { bytes: new Uint8Array(bytes), ...(digest === undefined ? {} : { version: digest }) }
  }
  try {
    return await read(skill)
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'SkillVerificationError') throw error
    const { skill: current } = await skills.get(skill.uri, options)
    if (digestIn(current, uri) === digestIn(skill, uri)) throw error
    return read(current)
  }
}

function digestIn({ resources }: Skill, uri: string): string | undefined {
  return resources === 'dynamic' ? undefined : resources.find(one => one.uri === uri)?.digest
}
