import { type McpServer, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { promptNames } from '../../agent/session/prompt.js'
import type { Session } from '../../agent/session/types.js'
import { isSkillshelfError } from '../../core/errors.js'
import { pageOf } from '../../core/paging.js'
import { plainLine } from '../../core/sanitize.js'
import { fullDescription } from '../../skill/full-description.js'
import type { SkillSummary } from '../../skill/skill.js'

const PAGE_SIZE = 500
const REQUEST = { name: 'request', description: 'What to do with the skill', required: false }

/** Offers every skill that people may open as a prompt with its instructions. Many clients show prompts as commands. */
export function registerPrompts({ server }: McpServer, session: Session): void {
  const { library } = session
  const invocable = (): readonly SkillSummary[] =>
    library.snapshot.skills.filter(({ userInvocable }) => userInvocable !== false)
  server.registerCapabilities({ prompts: { listChanged: true } })

  server.setRequestHandler('prompts/list', ({ params }) => {
    const nameOf = promptNames(library.snapshot.skills)
    const { items, ...next } = pageOf(invocable(), params?.cursor, PAGE_SIZE)
    const prompts = items.map(skill => ({
      name: plainLine(nameOf(skill)),
      ...(skill.displayName === undefined ? {} : { title: plainLine(skill.displayName) }),
      description: plainLine(fullDescription(skill)),
      arguments: [REQUEST],
    }))
    return { prompts, ...next }
  })

  server.setRequestHandler('prompts/get', async ({ params }, { mcpReq: { signal } }) => {
    const nameOf = promptNames(library.snapshot.skills)
    const summary = invocable().find(
      skill =>
        [nameOf(skill), plainLine(nameOf(skill))].includes(params.name) || skill.id === params.name,
    )
    if (!summary) {
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `Prompt ${plainLine(params.name)} not found`,
      )
    }
    const { id } = summary
    await session.load(id, { by: 'user', signal }).catch(error => {
      if (!isSkillshelfError(error, 'not-allowed', 'too-large')) throw error
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, plainLine(error.message))
    })
    const open = session.open.find(({ skill }) => skill.id === id)
    const texts = [
      open ? session.dialect.skillText(session, open) : '',
      params.arguments?.['request'] ?? '',
    ]
    const messages = texts
      .filter(text => text !== '')
      .map(text => ({ role: 'user' as const, content: { type: 'text' as const, text } }))
    return { description: plainLine(fullDescription(summary)), messages }
  })
}
