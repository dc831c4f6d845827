import { type AbortOptions, onAbort } from '../../core/abort.js'
import { rerunIfCalled } from '../../core/concurrency.js'
import { asSkillshelfError, SkillshelfError, throwIfAborted } from '../../core/errors.js'
import { checkOptionNames, type OptionNames } from '../../core/text/option-names.js'
import { checkToolName } from '../session/tool-schema.js'
import type { SkillTool } from '../session/tool-types.js'
import type { Session } from '../session/types.js'

/** Options of `registerSkillTools`. */
export interface WebMcpOptions {
  /** Removes the tools when aborted. @default the tools stay as long as the page */
  signal?: AbortSignal | undefined
  /** Prefix of each tool name, such as `skills_`, to keep it apart from the page's own tools. @default '' */
  prefix?: string | undefined
}

const OPTIONS = { signal: 1, prefix: 1 } satisfies OptionNames<WebMcpOptions>

/** The part of `document.modelContext` that this adapter uses. */
interface ModelContext {
  registerTool(tool: ModelContextTool, options: { signal: AbortSignal }): Promise<unknown>
}

/** A tool as WebMCP takes it. */
interface ModelContextTool {
  name: string
  description: string
  inputSchema: SkillTool['inputSchema']
  annotations: { readOnlyHint: boolean; untrustedContentHint: boolean }
  execute(input: unknown, options?: AbortOptions): Promise<string>
}

/**
 * Registers the tools of a session with WebMCP (`document.modelContext`), and keeps them up to date when the library changes.
 * Tools return errors as text, because WebMCP drops the message of a thrown error. Errors of later updates are passed to
 * `reportError`.
 * @returns Resolves when all tools are registered.
 * @throws SkillshelfError `unsupported` without `document.modelContext`; `invalid-input` if a tool name is not one
 * of 1 to 64 letters, digits, hyphens and underscores, or the browser rejects it; then no tool is registered; `aborted`
 * @example
 * ```ts
 * import { registerSkillTools } from 'skillshelf/adapters/browser'
 *
 * await registerSkillTools(session, { prefix: 'skills_' })
 * ```
 */
export async function registerSkillTools(
  session: Session,
  options: WebMcpOptions = {},
): Promise<void> {
  checkOptionNames(options, OPTIONS)
  const { signal, prefix = '' } = options
  throwIfAborted(signal)
  const fix = `pass another \`prefix\` than ${JSON.stringify(prefix)}, such as "skills_"`
  for (const name of session.dialect.toolNames) checkToolName(prefix + name, fix)
  const { document } = globalThis as { document?: { modelContext?: ModelContext } }
  const context = document?.modelContext
  if (!context) {
    throw new SkillshelfError('unsupported', 'document.modelContext is not available', {
      hint: 'WebMCP needs a secure page and a browser that supports it: Chromium with --enable-features=WebMCP',
    })
  }
  let stopped = false
  let registered: { key: string; controller: AbortController } | undefined
  const update = rerunIfCalled(async () => {
    if (stopped) return
    const tools = session.tools().map(tool => toModelContextTool(tool, prefix))
    const key = JSON.stringify(tools)
    if (registered?.key === key) return
    registered?.controller.abort()
    const controller = new AbortController()
    registered = { key, controller }
    try {
      await Promise.all(tools.map(tool => registerTool(context, tool, controller.signal)))
    } catch (error) {
      if (stopped) return
      controller.abort()
      registered = undefined
      throw error
    }
  })
  const removeListener = session.library.on('change', () => void update().catch(reportError))
  const stop = (): void => {
    stopped = true
    removeListener()
    registered?.controller.abort()
  }
  const removeAbortListener = signal ? onAbort(signal, stop) : undefined
  try {
    await update()
  } catch (error) {
    removeAbortListener?.()
    stop()
    throw error
  }
  throwIfAborted(signal)
}

/** @throws SkillshelfError `invalid-input`, `aborted` */
async function registerTool(
  context: ModelContext,
  tool: ModelContextTool,
  signal: AbortSignal,
): Promise<void> {
  try {
    await context.registerTool(tool, { signal })
  } catch (error) {
    throwIfAborted(signal)
    // The browser's error does not name the tool.
    throw asSkillshelfError(
      error,
      'invalid-input',
      `WebMCP rejects the tool name ${JSON.stringify(tool.name)}`,
      {
        subject: tool.name,
        hint: "pass another `prefix`, such as 'skills_'",
      },
    )
  }
}

function toModelContextTool(
  { name, description, inputSchema, execute }: SkillTool,
  prefix: string,
): ModelContextTool {
  return {
    name: prefix + name,
    description,
    inputSchema,
    // Tools change only the session; texts of skills are untrusted.
    annotations: { readOnlyHint: true, untrustedContentHint: true },
    async execute(input, { signal } = {}) {
      const { text } = await execute(input, { signal })
      return text
    },
  }
}
