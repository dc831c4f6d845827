import { expect } from 'vitest'

/** Expects that a call fails with this code, and with this in its message, or with these properties. */
export function fails(
  call: unknown,
  code: string,
  says: string | RegExp | object = '',
): Promise<void> {
  const more =
    typeof says === 'string'
      ? { message: expect.stringContaining(says) }
      : says instanceof RegExp
        ? { message: expect.stringMatching(says) }
        : says
  return expect(call).rejects.toMatchObject({ code, ...more })
}
