import type { ErrorCode, ErrorDetails } from '../core/errors.js'

/** One thing that must hold. Data, tied to no test runner: `run` rejects with an Error that says what is wrong. */
export interface SuiteCase {
  name: string
  run(): Promise<void>
}

export function check(fact: unknown, message: string): asserts fact {
  if (!fact) throw new Error(message)
}

/** Plain data and bytes that are equal, whatever realm they come from. */
export function equal(actual: unknown, expected: unknown, what: string): void {
  const [a, b] = [show(actual), show(expected)]
  check(a === b, `${what}: expected ${shorten(b)}, got ${shorten(a)}`)
}

/** The error that a call must reject with; its code, not its class, so that a library behind a wire can pass. */
export async function rejects(
  call: () => Promise<unknown>,
  codes: ErrorCode | readonly ErrorCode[],
  what: string,
): Promise<Error & { code: ErrorCode; details: ErrorDetails }> {
  const wanted = typeof codes === 'string' ? [codes] : codes
  let given: unknown
  try {
    given = await call()
  } catch (error) {
    const { code } = error as { code?: ErrorCode }
    check(
      error instanceof Error && code !== undefined && wanted.includes(code),
      `${what}: expected an error with the code ${wanted.join(' or ')}, got ${code ?? String(error)}`,
    )
    return error as Error & { code: ErrorCode; details: ErrorDetails }
  }
  throw new Error(`${what}: expected an error with the code ${wanted.join(' or ')}, got ${shorten(show(given))}`)
}

export function toBytes(content: Uint8Array | string): Uint8Array {
  return typeof content === 'string' ? new TextEncoder().encode(content) : content
}

/** Keys sorted, so that equal data looks equal. */
function show(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (ArrayBuffer.isView(inner))
      return `bytes ${Array.from(inner as Uint8Array, byte => byte.toString(16).padStart(2, '0')).join(' ')}`
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
  }) as string
}

function shorten(text = 'undefined'): string {
  return text.length > 300 ? `${text.slice(0, 300)}…` : text
}
