import { SkillshelfError } from '../skill/error.js'
import { type HttpOptions, type HttpRequest, http } from './http.js'
import type { SkillSource } from './types.js'

const ARCHIVE = /\.(?:zip|tar|tgz|tar\.gz)$/i

/** Whether an address is that of an archive, by the end of its path. */
export function isArchiveAddress(address: string | URL): boolean {
  try {
    return ARCHIVE.test(new URL(address, globalThis.location?.href ?? 'http://localhost').pathname)
  } catch {
    return false
  }
}

/** The skills of a zip or tar at an address. It is fetched when it is first needed, and asked for again where it has changed. */
export function archiveAt(address: string | URL, options: HttpOptions = {}): SkillSource {
  const url = new URL(address, globalThis.location?.href)
  const file = decodeURIComponent(url.pathname.slice(url.pathname.lastIndexOf('/') + 1))
  const name = options.name ?? file.replace(ARCHIVE, '')
  const request = options.fetch ?? ((to: string, init: HttpRequest) => fetch(to, init))
  const host = http(new URL('.', url), { ...options, fetch: (to, init) => request(to + url.search, init) })
  let held: { source: SkillSource; version?: string } | undefined

  const look = async (signal: AbortSignal | undefined): Promise<SkillSource> => {
    const result = await host.read(file, {
      ...(held?.version === undefined ? {} : { ifVersion: held.version }),
      ...(signal ? { signal } : {}),
    })
    if (result === 'unchanged' && held) return held.source
    if (result === undefined || result === 'unchanged')
      throw new SkillshelfError('source-not-found', `There is no archive at ${url.href}`, { subject: url.href })
    const { archive } = await import('./archive/index.js')
    const { bytes, version } = result
    held = { source: archive(bytes, { name }), ...(version === undefined ? {} : { version }) }
    return held.source
  }

  return {
    name,
    list: async (at = {}) => (await look(at.signal)).list?.(at) ?? [],
    read: async (path, at = {}) => (held?.source ?? (await look(at.signal))).read(path, at),
  }
}
