/** The key of `await using`. Without the symbol, as in Safari, compiled code looks for this one. */
export const ASYNC_DISPOSE: typeof Symbol.asyncDispose = (Symbol.asyncDispose ??
  Symbol.for('Symbol.asyncDispose')) as typeof Symbol.asyncDispose
