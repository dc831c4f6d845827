import type { ErrorCode, ErrorDetails } from '../../core/errors.js'

/** One test case, independent of any test runner. */
export interface SuiteCase {
  /** Title of the case. */
  name: string
  /** Runs the case. Rejects with an `Error` that describes the failure. */
  run(): Promise<void>
}

export function check(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(message)
}

/** Asserts deep equality of plain data and bytes, also across realms. */
export function equal(actual: unknown, expected: unknown, label: string): void {
  const [a, b] = [format(actual), format(expected)]
  check(a === b, `${label}: expected ${shorten(b)}, got ${shorten(a)}`)
}

/** Asserts that a call rejects with one of these codes. Only the code is compared, not the class, so that remote libraries can pass. */
export async function rejects(
  call: () => Promise<unknown>,
  codes: ErrorCode | readonly ErrorCode[],
  label: string,
): Promise<Error & { code: ErrorCode; details: ErrorDetails }> {
  const expected = typeof codes === 'string' ? [codes] : codes
  let result: unknown
  try {
    result = await call()
  } catch (error) {
    const { code } = error as { code?: ErrorCode }
    check(
      error instanceof Error && code !== undefined && expected.includes(code),
      `${label}: expected an error with the code ${expected.join(' or ')}, got ${code ?? String(error)}`,
    )
    return error as Error & { code: ErrorCode; details: ErrorDetails }
  }
  throw new Error(
    `${label}: expected an error with the code ${expected.join(' or ')}, got ${shorten(format(result))}`,
  )
}

export function toBytes(content: Uint8Array | string): Uint8Array {
  return typeof content === 'string' ? new TextEncoder().encode(content) : content
}

/** Serializes a value with sorted keys, so that equal data gives equal text. */
function format(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (ArrayBuffer.isView(inner)) {
      return `bytes ${Array.from(inner as Uint8Array, byte => byte.toString(16).padStart(2, '0')).join(' ')}`
    }
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
  }) as string
}

function shorten(text = 'undefined'): string {
  return text.length > 300 ? `${text.slice(0, 300)}…` : text
}
