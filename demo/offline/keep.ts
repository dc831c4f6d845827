/**
 * Asks the service worker, once it is active, to cache files that the page loaded before.
 * @param starts URLs, or their beginnings
 */
export function keepOffline(starts: readonly string[]): void {
  void navigator.serviceWorker?.ready.then(({ active }) => active?.postMessage(starts))
}
