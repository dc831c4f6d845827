import { archive } from 'virtual:compressed-samples'
import { fetchInflated } from './compressed-files.js'

/** A file: its text, or its bytes. */
type Content = string | { base64: string }

/**
 * Reads the files of all samples with one request.
 * @returns By path, without those that another build has; empty if there is no archive
 */
export async function samplesArchive(): Promise<ReadonlyMap<string, Content>> {
  const response = await fetchInflated(archive)
  if (!response) return new Map()
  return new Map(Object.entries((await response.json()) as Record<string, Content>))
}

export function contentResponse(content: Content): Response {
  if (typeof content === 'string') return new Response(content)
  return new Response(Uint8Array.from(atob(content.base64), byte => byte.charCodeAt(0)))
}
