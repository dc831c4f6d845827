/** A signal that fires with the first of several. Browsers of 2023 lack `AbortSignal.any`. */
export function anySignal(...signals: readonly AbortSignal[]): AbortSignal {
  const either = new AbortController()
  for (const signal of signals) {
    if (signal.aborted) either.abort(signal.reason)
    signal.addEventListener('abort', () => either.abort(signal.reason), {
      signal: either.signal,
    })
  }
  return either.signal
}
