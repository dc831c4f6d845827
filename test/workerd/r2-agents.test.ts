import { env } from 'cloudflare:workers'
import { loadSkillCatalog, r2 as theirR2 } from 'agents/skills'
import { describe, expect, it } from 'vitest'
import { r2, toAgentsSource } from '../../src/exports/cloudflare.js'
import { openLibrary } from '../../src/library/open-library.js'
import { packFiles } from '../packed-files.js'
import { agentsCases } from './agents-cases.js'
import { filling, skill } from './r2-world.js'

const { TEST_BUCKET } = env as unknown as { TEST_BUCKET: R2Bucket }
const { fresh } = filling(async () => TEST_BUCKET)
const FILES = {
  'slides/SKILL.md': skill('slides', 'Makes slides.'),
  'slides/references/style.md': 'One idea each.',
  'report/SKILL.md': skill('report', 'Writes reports.'),
}

describe('[CARD-1] [AC-5] [TD-11] cloudflare/agents', agentsCases)

describe('cloudflare/agents and R2', () => {
  it('[CARD-1] a catalog of cloudflare/agents is the same from a bucket and from a library over it', async () => {
    await fresh(FILES, 'skills/')
    const ours = await openLibrary(r2(TEST_BUCKET, { prefix: 'skills' }))
    const [own, adapted] = await Promise.all([
      loadSkillCatalog([theirR2(TEST_BUCKET, { prefix: 'skills' })]),
      loadSkillCatalog([toAgentsSource(ours)]),
    ])
    expect(adapted.prompt()).toBe(own.prompt())
    expect(adapted.activate('slides')).toEqual(own.activate('slides'))
  })

  it('[BY-5] a cloudflare/agents catalog reads a packed library in R2', async () => {
    await fresh(await packFiles(FILES))
    const catalog = await loadSkillCatalog([toAgentsSource(await openLibrary(r2(TEST_BUCKET)))])
    expect(catalog.skills.map(entry => entry.skill.name)).toEqual(['report', 'slides'])
    const read = await catalog.readResource({ path: 'slides/references/style.md' })
    expect(read.ok && read.value.resource.content).toBe('One idea each.')
  })
})
