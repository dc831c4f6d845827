import type { Session } from '../../agent/session/types.js'
import { extendObject } from '../../core/extend-object.js'

/**
 * Bytes of the instructions. Claude Code cuts those of a server, and each description of a tool, at 2 KB (code.claude.com/docs/en/mcp, looked up
 * on 2026-11-27). It does not say whether it counts characters or bytes.
 */
const MAX_BYTES = 2_048
const SEARCH_TOOL = 'search_skills'

/** What a server tells its client first: what to do, then as many skills as fit, and how many there are. `''` without skills. */
export function serverInstructions(session: Session): string {
  const { dialect, offered, catalogTokens } = session
  const lead = leadOf(session)
  const room = MAX_BYTES - byteLength(`${lead}\n`)
  // The catalog measures itself in bytes, of which its tokens have an equal share.
  const measure = (text: string): number =>
    Math.max(byteLength(text), (session.countTokens(text) / catalogTokens) * room)
  const catalog = dialect.catalog(
    extendObject(session, { catalogTokens: room, countTokens: measure }),
  )
  if (catalog === '') return ''
  const listing = byteLength(catalog) <= room ? catalog : `The server has ${offered.length} skills.`
  return lead === '' ? listing : `${lead}\n${listing}`
}

function leadOf({ dialect, offered }: Session): string {
  const { opener, toolNames } = dialect
  const open = opener === undefined ? '' : `, then ${opener} with the name of the one that fits`
  if (toolNames.includes(SEARCH_TOOL)) {
    return `Call ${SEARCH_TOOL} with what is needed before you answer${open}. It finds all ${offered.length} skills of this server.`
  }
  return opener === undefined
    ? ''
    : `Call ${opener} with the name of the skill that fits before you answer.`
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length
}
