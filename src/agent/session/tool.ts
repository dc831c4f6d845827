import * as z from 'zod/mini'
import type { AbortOptions } from '../../core/abort.js'
import { isSkillshelfError } from '../../core/errors.js'
import { inputError, issueLines, jsonSchema } from '../../core/input-errors.js'
import { pathInSkill } from './file-paths.js'
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
  /** The argument that names a file of the skill, and the folder that it is relative to. */
  file?: { argument: keyof z.output<Schema> & string; folder?: string }
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
  file,
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
          const result = await runWithNames(session, parsed.data, options)
          return typeof result === 'string' ? { text: result, isError: false } : result
        } catch (error) {
          if (!isSkillshelfError(error) || error.code === 'aborted') throw error
          return failed(error.message)
        }
      },
    }
  }
  /** Runs the tool with the name of the skill, and then the path of the file, that the model means. */
  const runWithNames = async (
    session: Session,
    input: z.output<Schema>,
    options: AbortOptions,
  ): Promise<ToolResult | string> => {
    if (skill === undefined) return run(session, input, options)
    const { library } = session
    const skillName = await readSkillName(library, String(input[skill]), options)
    const named = Object.assign({}, input, { [skill]: skillName })
    try {
      return await run(session, named, options)
    } catch (error) {
      if (!file || !isSkillshelfError(error, 'resource-not-found', 'invalid-path')) throw error
      const given = String(input[file.argument])
      const path = pathInSkill(await library.get(skillName, options), given, file.folder)
      if (path === given) throw error
      return run(session, Object.assign(named, { [file.argument]: path }), options).catch(() =>
        Promise.reject(error),
      )
    }
  }
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
