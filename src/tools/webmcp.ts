import { onAbort } from '../async/on-abort.js'
import { oneAtATime } from '../async/one-at-a-time.js'
import type { Session } from '../session/types.js'
import { asSkillshelfError, SkillshelfError, throwIfAborted } from '../skill/error.js'
import type { SkillTool } from './types.js'

export interface WebMcpOptions {
  /** Takes the tools back when it fires. Default: they stay as long as the page. */
  signal?: AbortSignal | undefined
  /** Stands before each name, so that names of the page's own tools are kept apart: `shelf.`. Default `''`. */
  prefix?: string
}

/** Names that WebMCP allows. */
const ALLOWED = /^[\w.-]{1,128}$/

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
 * @throws SkillshelfError `unsupported` where there is no `document.modelContext`, `invalid-input` where a name is taken or, with the prefix,
 * none that WebMCP allows, `aborted`, and `unsupported` for what else registering throws: then none is registered
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
  const follow = oneAtATime(async () => {
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
  const { name } = tool
  if (!ALLOWED.test(name))
    throw new SkillshelfError('invalid-input', `WebMCP takes no tool named ${JSON.stringify(name)}`, {
      subject: name,
      hint: 'give a prefix of a-z, A-Z, 0-9, dots, hyphens and underscores; a name has 128 characters at most',
    })
  try {
    await context.registerTool(tool, { signal })
  } catch (error) {
    // The others go with the one that could not be registered.
    throwIfAborted(signal)
    if (error instanceof DOMException && error.name === 'InvalidStateError')
      throw new SkillshelfError(
        'invalid-input',
        `The page has a tool named ${name} already`,
        { subject: name, hint: "give another prefix, such as 'shelf.', or take the others back first by their signal" },
        error,
      )
    throw asSkillshelfError(error, 'unsupported', `The tool ${name} could not be registered`, { subject: name })
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
