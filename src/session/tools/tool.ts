import * as z from 'zod/mini'
import english from 'zod/v4/locales/en.js'
import { isSkillshelfError } from '../../core/errors.js'
import type { SkillTool, ToolResult } from './types.js'

const wording = english().localeError

export interface ToolPlan<Schema extends z.ZodMiniType> {
  name: string
  /** A function where it follows the library. */
  description: string | (() => string)
  input: Schema
  run: (input: z.output<Schema>, at: { signal?: AbortSignal | undefined }) => Promise<ToolResult | string>
  /** How an error is told. Default: its message, as text. */
  failed?: (message: string) => ToolResult
}

/** A tool of a schema: its input is checked, and what goes wrong is told to the model rather than thrown. */
export function defineTool<Schema extends z.ZodMiniType>(plan: ToolPlan<Schema>): SkillTool {
  const { name, description, input: schema, run, failed = message => ({ text: message, isError: true }) } = plan
  const { $schema: _, ...inputSchema } = z.toJSONSchema(schema) as Record<string, unknown>
  return {
    name,
    get description() {
      return typeof description === 'string' ? description : description()
    },
    inputSchema,
    async execute(input, at = {}) {
      // The wording is given here: setting it for all of zod would touch what others share.
      const read = schema.safeParse(input, { error: wording })
      if (!read.success) {
        const faults = read.error.issues.map(({ path, message }) => `${path.join('.') || 'the input'}: ${message}`)
        return failed(`${name} was not run. ${faults.join('; ')}`)
      }
      try {
        const result = await run(read.data, at)
        return typeof result === 'string' ? { text: result, isError: false } : result
      } catch (error) {
        if (!isSkillshelfError(error) || error.code === 'aborted') throw error
        return failed(error.message)
      }
    },
  }
}
