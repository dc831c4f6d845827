import * as z from 'zod/mini'
import english from 'zod/v4/locales/en.js'

const localeError = english().localeError
const MISSING = 'is missing'

/** Error messages of zod for arguments of requests and tools. Passed to each parse: a global setting would change the application's. */
export const inputError: z.core.$ZodErrorMap = issue => {
  const isAbsent = issue.code === 'invalid_type' && issue.input === undefined
  const isEmpty =
    issue.code === 'too_small' && issue.origin === 'string' && Number(issue.minimum) === 1
  return isAbsent || isEmpty ? MISSING : localeError(issue)
}

/** One line per issue: `message is missing`, `limit: Too small …`. */
export function issueLines(error: z.core.$ZodError, where: string): string[] {
  const lines = error.issues.map(({ path, message }) => {
    const name = path.join('.') || where
    return message === MISSING ? `${name} ${message}` : `${name}: ${message}`
  })
  return [...new Set(lines)]
}

/** The JSON Schema of a schema, without its `$schema`. */
export function jsonSchema(schema: z.ZodMiniType): Record<string, unknown> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema)
  return rest
}

/** Check of a message: a text of spaces is missing too. */
export const isNotBlank = (text: string): boolean => text.trim() !== ''
export const BLANK = { error: MISSING }
