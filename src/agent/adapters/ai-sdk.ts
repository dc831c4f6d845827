import { jsonSchema, type LanguageModelMiddleware, type ToolSet, tool } from 'ai'
import type { AbortOptions } from '../../core/abort.js'
import type { SkillLibrary } from '../../library/api/skill-library.js'
import { exportSkill } from '../../library/export-skill.js'
import { decodeUtf8 } from '../../skill/decode.js'
import type { ToolResult } from '../session/tool-types.js'
import type { Session } from '../session/types.js'
import { checkRequestOptions, prepareCall, type RequestOptions } from './request.js'

/**
 * Converts the tools of a session to a `ToolSet` for `generateText` and `streamText` of the AI SDK. Errors are sent to the
 * model as `error-text`.
 * @returns The tools of the current library. Call it again for each turn.
 * @example
 * ```ts
 * import { generateText } from 'ai'
 * import { skillTools } from 'skillshelf/adapters/ai-sdk'
 *
 * const { text } = await generateText({ model, system, messages, tools: skillTools(session) })
 * ```
 */
export function skillTools(session: Session): ToolSet {
  return Object.fromEntries(
    session.tools().map(({ name, description, inputSchema, execute }) => [
      name,
      tool({
        description,
        inputSchema: jsonSchema<unknown>(inputSchema),
        execute: (input, { abortSignal }) => execute(input, { signal: abortSignal }),
        // AI SDK 5 passes the result, versions 6 and 7 pass an object with `output`.
        toModelOutput: (result: ToolResult | { output: ToolResult }) => {
          const { text, isError } = 'output' in result ? result.output : result
          return { type: isError ? 'error-text' : 'text', value: text }
        },
      }),
    ]),
  )
}

/**
 * Gives a model the skills for each of its calls, by `wrapLanguageModel` of the AI SDK. What you keep and show is the conversation of the user
 * and the model: the texts of the session are only in what the model gets. It needs the tools of `skillTools` too.
 * @param session The session of one conversation.
 * @param options `files`, `url`: where the user works. `limit`, `threshold`.
 * @returns A middleware for versions 5, 6 and 7.
 * @example
 * ```ts
 * import { generateText, stepCountIs, wrapLanguageModel } from 'ai'
 * import { skillMiddleware, skillTools } from 'skillshelf/adapters/ai-sdk'
 *
 * const skilled = wrapLanguageModel({ model, middleware: skillMiddleware(session) })
 * const { text } = await generateText({ model: skilled, messages, tools: skillTools(session), stopWhen: stepCountIs(12) })
 * ```
 */
export function skillMiddleware(
  session: Session,
  options: Omit<RequestOptions, 'system' | 'signal'> = {},
): LanguageModelMiddleware {
  checkRequestOptions(options)
  return {
    async transformParams({ params }) {
      const { prompt, abortSignal: signal } = params
      const first = prompt.findIndex(({ role }) => role !== 'system')
      const head = first < 0 ? prompt : prompt.slice(0, first)
      const own = head.at(-1)
      const { system, messages } = await prepareCall(session, prompt.slice(head.length), {
        ...options,
        signal,
        system: own?.role === 'system' ? own.content : undefined,
      })
      const last = system === '' ? [] : [{ ...own, role: 'system' as const, content: system }]
      return { ...params, prompt: [...head.slice(0, -1), ...last, ...messages] }
    },
    // Version 6 needs it, and version 7 takes it. Version 5 does not read it.
    specificationVersion: 'v3',
  }
}

/** A skill for `HarnessAgent` of `@ai-sdk/harness`. */
export interface HarnessSkill {
  name: string
  description: string
  content: string
  files: { path: string; content: string }[]
}

/**
 * Reads a skill for `HarnessAgent` of `@ai-sdk/harness`. A harness takes text only: files that are not UTF-8 text are left out.
 * @param skill Name or id of the skill.
 * @throws SkillshelfError those of `exportSkill`
 * @example
 * ```ts
 * import { claudeCode } from '@ai-sdk/harness-claude-code'
 * import { HarnessAgent } from '@ai-sdk/harness/agent'
 * import { harnessSkill } from 'skillshelf/adapters/ai-sdk'
 *
 * const agent = new HarnessAgent({ harness: claudeCode, sandbox, skills: [await harnessSkill(library, 'pdf')] })
 * ```
 */
export async function harnessSkill(
  library: Pick<SkillLibrary, 'get' | 'read'>,
  skill: string,
  options: AbortOptions = {},
): Promise<HarnessSkill> {
  const { name, description, content, files } = await exportSkill(library, skill, options)
  return {
    name,
    description: yamlLine(description),
    content,
    files: files.slice(1).flatMap(({ path, data }) => {
      const text = decodeUtf8(data)
      return text === undefined ? [] : [{ path: path.slice(name.length + 1), content: text }]
    }),
  }
}

/** Harnesses copy a description into YAML as it is: on one line, quoted if YAML would read it as more than text. */
function yamlLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return /^[^\p{L}\p{N}]|: | #|:$/u.test(line) ? JSON.stringify(line) : line
}
