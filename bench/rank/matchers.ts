import { lexicalMatcher } from '../../src/match/lexical.js'
import { createSegmentBuilder } from '../../src/segment/build.js'
import type { PoolSkill } from './data.js'
import type { Ranker } from './measure.js'

/** What can be measured, by name: each opens a library of skills. */
export const matchers: Record<string, (skills: readonly PoolSkill[]) => Promise<Ranker>> = {
  async lexical(skills) {
    const builder = createSegmentBuilder()
    for (const { name, description, body } of skills)
      builder.add({ name, description: description ?? '', tags: [], body: body ?? '' })
    const matcher = lexicalMatcher()
    const ids = skills.map((_, number) => String(number))
    await matcher.update({ revision: '', segments: [{ key: '', bytes: builder.finish(), ids, dead: [] }] })
    return {
      async rank(message) {
        const { matches } = await matcher.match({ message }, { limit: 5 })
        return matches.map(match => (skills[Number(match.id)] as PoolSkill).id)
      },
    }
  },
}
