/**
 * Whether this is a Cloudflare Worker. There, work belongs to a request: outside of one nothing is read, and a read ends with the request
 * that started it.
 */
export function isWorker(): boolean {
  return globalThis.navigator?.userAgent === 'Cloudflare-Workers'
}
