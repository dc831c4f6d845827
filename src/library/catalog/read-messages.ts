import { errorMessage, throwIfAborted } from '../../core/errors.js'
import { joinPath } from '../../core/paths.js'
import { rethrowCallbackError } from '../../core/progress.js'
import { withoutEqual } from '../../search/index/message-key.js'
import { decodeText } from '../../skill/decode.js'
import type { Diagnostic } from '../../skill/diagnostics.js'
import {
  checkComments,
  joinMessages,
  MAX_MESSAGES_BYTES,
  MESSAGES_FILE,
  type ParsedMessages,
  parseMessages,
} from '../../skill/messages.js'
import type { SkillSource } from '../../source/source.js'
import type { SkillFolder } from './discover.js'

/** The messages of the frontmatter and of the file beside it. */
export async function readMessages(
  source: SkillSource,
  { path, files }: SkillFolder,
  own: readonly string[],
  signal: AbortSignal | undefined,
): Promise<ParsedMessages & { diagnostics: Diagnostic[] }> {
  const file = files.find(file => file.path === MESSAGES_FILE)
  const withoutFile = () => ({ ...joinMessages(own), notMessages: [] })
  if (!file) return withoutFile()
  const checkSize = (size = 0): void => {
    if (size > MAX_MESSAGES_BYTES) {
      throw new Error(`it has ${size} bytes, and at most ${MAX_MESSAGES_BYTES} are read`)
    }
  }
  try {
    checkSize(file.size)
    const result = await source.read(joinPath(path, MESSAGES_FILE), { signal })
    if (typeof result !== 'object') return withoutFile()
    checkSize(result.bytes.length)
    return joinFile(own, decodeText(result.bytes).text)
  } catch (error) {
    throwIfAborted(signal)
    rethrowCallbackError(error)
    const { diagnostics, ...messages } = withoutFile()
    const message = `${MESSAGES_FILE} cannot be read: ${errorMessage(error)}`
    return {
      ...messages,
      diagnostics: [...diagnostics, { code: 'messages-ignored', severity: 'warning', message }],
    }
  }
}

/** The messages of the frontmatter and of the text of the file, with its problems. */
function joinFile(
  own: readonly string[],
  text: string,
): ParsedMessages & { diagnostics: Diagnostic[] } {
  const parsed = parseMessages(text)
  const wanted = joinMessages([...own, ...parsed.messages])
  const unwanted = joinMessages(parsed.notMessages)
  const messages = withoutEqual(wanted.messages, unwanted.messages)
  const contradicted = wanted.messages.filter(message => !messages.includes(message))
  return {
    messages,
    notMessages: unwanted.messages,
    diagnostics: [
      ...wanted.diagnostics,
      ...unwanted.diagnostics,
      ...contradicted.map(reportContradiction),
      ...checkComments(text),
    ],
  }
}

function reportContradiction(message: string): Diagnostic {
  return {
    code: 'messages-ignored',
    severity: 'warning',
    message: `“${message}” is below \`# not\`, too, and does not find the skill`,
    hint: 'remove one of the two lines',
  }
}
