import type { Matcher } from './types.js'

const local = new WeakSet<Matcher>()

export function markLocal(matcher: Matcher): Matcher {
  local.add(matcher)
  return matcher
}

/** Whether matching only computes. A matcher of the user, even a copy of a local one, may count or pay for its calls. */
export function isLocalMatcher(matcher: Matcher): boolean {
  return local.has(matcher)
}
