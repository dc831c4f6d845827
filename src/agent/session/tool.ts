import * as z from 'zod/mini'
import type { AbortOptions } from '../../core/abort.js'
import { isSkillshelfError } from '../../core/errors.js'
import { inputError, issueLines, jsonSchema } from '../../core/input-errors.js'
import { readSkillName } from './skill-names.js'
import { readToolInput } from './tool-input.js'
import { toolInputSchema } from './tool-schema.js'
import type { SkillTool, ToolResult } from './tool-types.js'
import type { Dialect, Session } from './types.js'

interface ToolDefinition<Schema extends z.ZodMiniType> {
  name: string
  /** A function if it depends on the library. */
  description: string | ((session: Session) => string)
  input: Schema
  /** The argument that names a skill. */
  skill?: keyof z.output<Schema> & string
  /** Schema of the `data` of every result. */
  output?: z.ZodMiniType
  run: (
    session: Session,
    input: z.output<Schema>,
    options: AbortOptions,
  ) => Promise<ToolResult | string>
  /** Formats an error for the model. @default the message, as text */
  failed?: (message: string) => ToolResult
}

/** A tool of a dialect, before it has a session. */
export interface DefinedTool {
  name: string
  /** Makes the tool of a session. */
  bind(session: Session): SkillTool
}

/** Defines a tool that checks its input by a schema, and returns errors as results. */
export function defineTool<Schema extends z.ZodMiniType>({
  name,
  description,
  input: schema,
  skill,
  output,
  run,
  failed = message => ({ text: message, isError: true }),
}: ToolDefinition<Schema>): DefinedTool {
  const bind = (session: Session): SkillTool => {
    const inputSchema = toolInputSchema(schema)
    return {
      name,
      get description() {
        return typeof description === 'string' ? description : description(session)
      },
      inputSchema,
      ...(output ? { outputSchema: jsonSchema(output) } : {}),
      async execute(input, options = {}) {
        const parsed = schema.safeParse(readToolInput(inputSchema, input), { error: inputError })
        if (!parsed.success) {
          return failed(`${name} was not run. ${issueLines(parsed.error, 'the input').join('; ')}`)
        }
        try {
          const result = await run(
            session,
            await withSkillName(session, parsed.data, options),
            options,
          )
          return typeof result === 'string' ? { text: result, isError: false } : result
        } catch (error) {
          if (!isSkillshelfError(error) || error.code === 'aborted') throw error
          return failed(error.message)
        }
      },
    }
  }
  const withSkillName = async (
    { library }: Session,
    input: z.output<Schema>,
    options: AbortOptions,
  ): Promise<z.output<Schema>> =>
    skill === undefined
      ? input
      : Object.assign({}, input, {
          [skill]: await readSkillName(library, String(input[skill]), options),
        })
  return { name, bind }
}

export function dialectTools(
  ...tools: readonly DefinedTool[]
): Pick<Dialect, 'tools' | 'toolNames'> {
  return {
    toolNames: tools.map(({ name }) => name),
    tools: session => tools.map(tool => tool.bind(session)),
  }
}

/** The schema of a text that is not empty. */
export function requiredText(description: string) {
  return z.string().check(z.minLength(1), z.describe(description))
}
