/** Why something in a folder of skills is not offered, such as `is not a regular file`. */
export class Refusal extends Error {}

/** The reason of an error in a sentence about a path. */
export function reasonOf(error: unknown): string {
  if (error instanceof Refusal) return error.message
  const { code, message } = error as NodeJS.ErrnoException
  return `cannot be read: ${code ?? message}`
}
