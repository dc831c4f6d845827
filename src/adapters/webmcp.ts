import { onAbort } from '../core/abort.js'
import { rerunIfCalled } from '../core/concurrency.js'
import { asSkillshelfError, SkillshelfError, throwIfAborted } from '../core/errors.js'
import type { SkillTool } from '../session/tools/types.js'
import type { Session } from '../session/types.js'

export interface WebMcpOptions {
  /** Takes the tools back when it fires. Default: they stay as long as the page. */
  signal?: AbortSignal | undefined
  /** Stands before each name, so that names of the page's own tools are kept apart: `shelf.`. Default `''`. */
  prefix?: string | undefined
}

/** The part of `document.modelContext` that is needed. */
interface ModelContext {
  registerTool(
    tool: {
      name: string
      description: string
      inputSchema: Readonly<Record<string, unknown>>
      annotations: { readOnlyHint: boolean; untrustedContentHint: boolean }
      execute(input: unknown, at?: { signal?: AbortSignal | undefined }): Promise<string>
    },
    options: { signal: AbortSignal },
  ): Promise<unknown>
}

/**
 * Offers the tools of a session to whoever looks at this page, by WebMCP: `document.modelContext`. They follow the library: where one
 * comes, goes or is described anew they are registered anew. Resolves once they stand there. A tool gives its text, errors too, for what
 * it throws arrives without its message. What cannot be registered later is reported to the page (`reportError`).
 * @throws SkillshelfError `unsupported` where there is no `document.modelContext`, `aborted`, and `invalid-input` where one is not taken, as its
 * name is another tool's, or none that WebMCP allows: then none is registered
 */
export async function registerSkillTools(session: Session, options: WebMcpOptions = {}): Promise<void> {
  const { signal, prefix = '' } = options
  throwIfAborted(signal)
  const { document } = globalThis as { document?: { modelContext?: ModelContext } }
  const context = document?.modelContext
  if (!context)
    throw new SkillshelfError('unsupported', 'There is no document.modelContext here', {
      hint: 'WebMCP is for windows of secure pages, in browsers that have it: Chromium with --enable-features=WebMCP',
    })
  let stopped = false
  let offered: { as: string; taken: AbortController } | undefined
  const follow = rerunIfCalled(async () => {
    if (stopped) return
    const tools = session.tools().map(tool => describe(tool, prefix))
    const as = JSON.stringify(tools)
    if (offered?.as === as) return
    offered?.taken.abort()
    const taken = new AbortController()
    offered = { as, taken }
    try {
      await Promise.all(tools.map(tool => register(context, tool, taken.signal)))
    } catch (error) {
      if (stopped) return
      taken.abort()
      offered = undefined
      throw error
    }
  })
  const unfollow = session.library.on('change', () => void follow().catch(reportError))
  const stop = (): void => {
    stopped = true
    unfollow()
    offered?.taken.abort()
  }
  const unheard = signal ? onAbort(signal, stop) : undefined
  try {
    await follow()
  } catch (error) {
    unheard?.()
    stop()
    throw error
  }
  throwIfAborted(signal)
}

/** @throws SkillshelfError */
async function register(
  context: ModelContext,
  tool: Parameters<ModelContext['registerTool']>[0],
  signal: AbortSignal,
): Promise<void> {
  try {
    await context.registerTool(tool, { signal })
  } catch (error) {
    throwIfAborted(signal)
    // The browser says why, and not of which.
    throw asSkillshelfError(error, 'invalid-input', `WebMCP takes no tool named ${JSON.stringify(tool.name)}`, {
      subject: tool.name,
      hint: "give another prefix, such as 'shelf.': letters a-z, digits, dots, hyphens and underscores",
    })
  }
}

function describe({ name, description, inputSchema, execute }: SkillTool, prefix: string) {
  return {
    name: prefix + name,
    description,
    inputSchema,
    // Nothing outside the session changes; what skills say comes from strangers.
    annotations: { readOnlyHint: true, untrustedContentHint: true },
    async execute(input: unknown, { signal }: { signal?: AbortSignal | undefined } = {}) {
      const { text } = await execute(input, signal ? { signal } : {})
      return text
    },
  }
}
