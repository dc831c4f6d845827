/** Ends a transaction without effect, unless it is over. */
export function abort(transaction: { abort(): void }): void {
  try {
    transaction.abort()
  } catch {
    // It is over: what it did, or why it failed, stands.
  }
}
