import {
  type SkillSource as AgentsSource,
  loadSkillCatalog,
  renderSkillResource,
} from 'agents/skills'
import { expect, it } from 'vitest'
import { toAgentsSource } from '../../examples/cloudflare-agents/source.js'
import { memory, openLibrary } from '../../src/exports/index.js'

const BYTES = Uint8Array.from({ length: 70_000 }, (_, index) => index % 256)
const FILES = {
  'slides/SKILL.md':
    '---\nname: slides\ndescription: "Makes slides: fast."\nmetadata:\n  owner: ann\nteam: design\n---\n\n# Slides\n\nOne idea each.\n',
  'slides/scripts/layout.py': 'print("不")\n',
  'slides/assets/logo.bin': BYTES,
  // Their parser requires a frontmatter, ours infers the fields.
  'lax/SKILL.md': '# Lax\n\nReads anything.\n',
}

it('[CARD-1] cloudflare/agents lists and reads the skills of a library', async () => {
  const source = toAgentsSource(await openLibrary(memory(FILES)))
  const catalog = await loadSkillCatalog([source])
  expect(catalog.find('slides')).toMatchObject({
    sourceId: 'skillshelf',
    skill: {
      description: 'Makes slides: fast.',
      metadata: { owner: 'ann' },
      extraFields: { team: 'design' },
    },
    resources: [
      { path: 'assets/logo.bin', kind: 'asset', encoding: 'base64', size: 70_000 },
      { path: 'scripts/layout.py', kind: 'script', encoding: 'text', size: 13 },
    ],
  })
  const activated = catalog.activate('slides')
  expect(activated.ok && activated.value).toContain('One idea each.')
  const script = await catalog.readResource({ path: 'slides/scripts/layout.py' })
  expect(script.ok && renderSkillResource(script.value)).toContain('print("不")')
  const logo = await catalog.readResource({ name: 'slides', path: 'assets/logo.bin' })
  const content = logo.ok ? logo.value.resource.content : ''
  expect(Uint8Array.from(atob(content), letter => letter.charCodeAt(0))).toEqual(BYTES)
  const missing = await catalog.readResource({ name: 'slides', path: 'assets/none.bin' })
  expect(missing.ok || missing.error._tag).toBe('SkillResourceNotFoundError')
})

it('[AC-5] [TD-11] cloudflare/agents keeps the other skills if one is invalid, and sees changes', async () => {
  const files = memory(FILES)
  const source: AgentsSource = toAgentsSource(await openLibrary(files))
  const before = await loadSkillCatalog([source])
  expect(before.skills.map(({ skill }) => skill.name)).toEqual(['slides'])
  expect(before.diagnostics).toMatchObject([{ _tag: 'InvalidSkill', location: 'memory/lax' }])
  await files.write({
    put: { 'notes/SKILL.md': '---\nname: notes\ndescription: Takes notes.\n---\n\nDo it.\n' },
  })
  const after = await loadSkillCatalog([source])
  expect(after.skills.map(({ skill }) => skill.name)).toEqual(['notes', 'slides'])
})
