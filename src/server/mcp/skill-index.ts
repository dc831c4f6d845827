import type { LibrarySnapshot } from '../../library/catalog/types.js'
import { publishedNames } from '../../library/store/publish/published-names.js'
import { SCHEMA } from '../../library/store/publish/well-known.js'
import { shortDescription } from '../../library/store/publish/well-known-plan.js'
import { skillUris } from './skill-uri.js'

/** Resource of an earlier draft of the Skills extension. Microsoft's Agent Framework reads it. */
export const INDEX_URI = 'skill://index.json'

/** Every skill with a unique name that the Agent Skills specification allows, and the URI of its SKILL.md. */
export function skillIndex(snapshot: LibrarySnapshot) {
  const { uriOf } = skillUris(snapshot)
  const names = publishedNames(snapshot.skills.map(({ id, name }) => ({ path: id, name })))
  const skills = snapshot.skills.map(({ id, description, digest, unread }) => ({
    name: names.get(id) as string,
    type: 'skill-md',
    description: shortDescription(description),
    url: uriOf(id, 'SKILL.md'),
    ...(unread ? {} : { digest }),
  }))
  return { $schema: SCHEMA, skills }
}
