import type { McpServer } from '@modelcontextprotocol/server'
import type { Session } from '../../agent/session/types.js'
import { plainLine } from '../../core/sanitize.js'
import { pageOf } from './page.js'
import { SKILL_FILE } from './served-skills.js'
import { skillUris } from './skill-uri.js'

/** Large, because many clients read the first page only. */
const PAGE_SIZE = 500

/** Lists the SKILL.md of every skill as a resource, for clients without the Skills extension. */
export function registerResources({ server }: McpServer, { library }: Session): void {
  server.setRequestHandler('resources/list', ({ params }) => {
    const { snapshot } = library
    const { uriOf } = skillUris(snapshot)
    const { items, nextCursor } = pageOf(snapshot.skills, params?.cursor, PAGE_SIZE)
    const resources = items.map(({ id, name, displayName, description }) => ({
      uri: uriOf(id, SKILL_FILE),
      name: plainLine(name),
      ...(displayName === undefined ? {} : { title: plainLine(displayName) }),
      description: plainLine(description),
      mimeType: 'text/markdown',
    }))
    return nextCursor === undefined ? { resources } : { resources, nextCursor }
  })
}
