import { digestOf } from '../../src/core/digest.js'
import { writeArchive } from '../../src/source/archive/write.js'
import { http } from '../../src/source/http/http.js'
import type { HttpOptions, HttpRequest } from '../../src/source/http/options.js'
import type { FetchableSource } from '../../src/source/source.js'
import { INDEX_SCHEMA, INDEX_V1, INDEX_V2 } from '../../src/source/well-known/site-paths.js'
import type { Files } from '../packed-files.js'
import { type Bytes, bytesOf } from './archive-world.js'

// Skill sites served by a fake `fetch`.

type Content = Uint8Array | string | ((url: URL, init: HttpRequest) => Response | Promise<Response>)

export const SITE = 'https://skills.example/'

export function skill(
  name: string,
  description = `Does ${name}.`,
  body = `How to ${name}.`,
): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\n\n${body}\n`
}

export function archiveOf(files: Files, format: 'zip' | 'tar.gz' = 'zip'): Promise<Bytes> {
  return writeArchive(files, { format })
}

/** An entry of a v0.2 index with the digest of its content. */
export function entryOf(name: string, type: string, url: string, content: Uint8Array | string) {
  return {
    name,
    type,
    description: `Does ${name}, says the index.`,
    url,
    digest: digestOf(bytesOf(content)),
  }
}

export function indexV2(...skills: unknown[]): Record<string, string> {
  return { [`/${INDEX_V2}`]: JSON.stringify({ $schema: INDEX_SCHEMA, skills }) }
}

/** A v0.1 site with these files. The first part of each path is the name of the skill. */
export function siteV1(files: Files): Record<string, Uint8Array | string> {
  const names = [...new Set(Object.keys(files).map(path => path.split('/')[0] as string))]
  const skills = names.map(name => ({
    name,
    description: `Does ${name}, says the index.`,
    files: Object.keys(files).flatMap(path =>
      path.startsWith(`${name}/`) ? [path.slice(name.length + 1)] : [],
    ),
  }))
  return {
    [`/${INDEX_V1}`]: JSON.stringify({ skills }),
    ...Object.fromEntries(
      Object.entries(files).map(([path, content]) => [`/.well-known/skills/${path}`, content]),
    ),
  }
}

export interface Host {
  /** Content by path on `SITE` or by URL. Tests change it. */
  files: Record<string, Content>
  fetch: (url: string, init: HttpRequest) => Promise<Response>
  /** Requested paths on `SITE`, or URLs. */
  requested: string[]
  requests: { url: string; init: HttpRequest }[]
  /** The source of an address on it. */
  at(address?: string, options?: HttpOptions): FetchableSource
}

export function hostOf(files: Record<string, Content>): Host {
  const host: Host = {
    files,
    requested: [],
    requests: [],
    at: (address = '', options = {}) =>
      http(new URL(address, SITE), { fetch: host.fetch, maxRetries: 0, ...options }),
    async fetch(url, init) {
      const { href, origin, pathname, search } = new URL(url)
      const at = href.startsWith(SITE)
        ? decodeURIComponent(pathname) + search
        : origin + pathname + search
      host.requested.push(at)
      host.requests.push({ url, init })
      init.signal?.throwIfAborted()
      const content = Object.hasOwn(host.files, at) ? host.files[at] : undefined
      if (content === undefined) return new Response('nothing here', { status: 404 })
      if (typeof content === 'function') return content(new URL(url), init)
      const bytes = bytesOf(content)
      const headers = { etag: `"${digestOf(bytes).slice(7, 23)}"` }
      const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(init.headers['range'] ?? '') ?? []
      if (init.headers['if-none-match'] === headers.etag)
        return new Response(null, { status: 304, headers })
      if (from === undefined || Number(from) >= bytes.length)
        return new Response(bytes, { headers })
      const part = bytes.slice(Number(from), to ? Number(to) + 1 : undefined)
      const range = `bytes ${from}-${Number(from) + part.length - 1}/${bytes.length}`
      return new Response(part, { status: 206, headers: { ...headers, 'content-range': range } })
    },
  }
  return host
}
