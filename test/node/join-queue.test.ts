import { expect, it, vi } from 'vitest'
import { defaultModel } from '../../src/library/model/default-model.js'
import { openLibrary } from '../../src/library/open-library.js'
// Loaded before the test, which compares orders.
import '../../src/library/model/upgrade.js'
import type { Embedder, SkillModel } from '../../src/search/model/skill-model.js'

const model = vi.hoisted(
  (): SkillModel => ({
    space: 'toy',
    dimensions: 8,
    vectorOf: () => new Float32Array(8),
    skillVector: (_, into) => into,
  }),
)
vi.mock('../../src/search/model/bundled/package.js', () => ({ bundled: async () => model }))
vi.mocked(defaultModel).mockReturnValue('joins')

const embedder: Embedder = {
  id: 'transformer',
  dimensions: 8,
  languages: 'all',
  embed: async texts =>
    Float32Array.from({ length: texts.length * 8 }, (_, at) => (at % 8 === 0 ? 1 : 0)),
}

it('[BY-1] an upgrade does not wait until the model has embedded every skill', async () => {
  const skills = Array.from({ length: 400 }, (_, at) => [
    `s${at}/SKILL.md`,
    `---\nname: s${at}\ndescription: Does task ${at}.\n---\n`,
  ])
  await using library = await openLibrary(Object.fromEntries(skills))
  const order: string[] = []
  const embedding = new Promise<void>(resolve => {
    model.skillVector = (_, into) => {
      resolve()
      return into
    }
  })
  const ready = library.ready().then(() => order.push('joined'))
  await embedding
  await library.upgrade(embedder, { cache: false }).then(() => order.push('upgraded'))
  await ready
  expect(order).toEqual(['upgraded', 'joined'])
})
