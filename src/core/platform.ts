/** Whether this is a Cloudflare Worker. There, work belongs to a request: nothing is read outside of one. */
export function isWorker(): boolean {
  return globalThis.navigator?.userAgent === 'Cloudflare-Workers'
}
