import { expect, it } from 'vitest'
import { cli, skill, temporaryFolder } from './cli-world.js'

const long = (first: string): string =>
  `${first} ${'The sourdough bread needs a lot of time. '.repeat(9).trim()}`
const FILES = {
  'skills/bread/SKILL.md': skill('bread', long('Bakes sourdough bread.')),
  'skills/tea/SKILL.md': skill('tea', 'Brews tea.'),
  'skills/afloat/SKILL.md': skill('afloat', 'Helps on the water. Mends a wooden boat.', 'Do it.'),
  'skills/people/SKILL.md': skill('people', 'Fires people.\ndisable-model-invocation: true'),
}

it('[BY-25] budget: what fits at one and two percent, and which first sentence is enough', async () => {
  const cwd = temporaryFolder(FILES)
  const { json } = await cli(['budget', '--context', '5000', '--json'], { cwd })
  const { characters, skills } = json()
  expect(characters).toEqual({ 1: 200, 2: 400 })
  // Short descriptions leave their room to the long ones.
  expect(skills.map(({ name, shown }: { name: string; shown: object }) => [name, shown])).toEqual([
    ['afloat', { 1: 40, 2: 40 }],
    ['bread', { 1: 200 - 29 - 40 - 10, 2: 400 - 29 - 40 - 10 }],
    ['tea', { 1: 10, 2: 10 }],
  ])
  expect(skills.map(({ enough }: { enough?: number }) => enough)).toEqual([
    undefined,
    22,
    undefined,
  ])
})

it('[BY-25] budget: names alone, and skills that are not listed', async () => {
  const cwd = temporaryFolder(FILES)
  const { skills } = (await cli(['budget', '--context', '600', '--json'], { cwd })).json()
  const some = expect.any(Number)
  const shown = [{ 1: 0, 2: some }, { 1: 0, 2: some }, { 2: some }]
  expect(skills.map((one: { shown: object }) => one.shown)).toEqual(shown)
  const { out } = await cli(['budget', '--context', '600'], { cwd })
  expect(out).toMatch(/tea +10 +not listed/)
  expect(out).toContain(
    '1 % of the context, 24 characters: 0 whole, 0 cut, 2 by name only, 1 not listed',
  )
  expect(out).toContain('1 skill found as well by the first sentence of the description')
})

it('[BY-30] budget: copies take room once', async () => {
  const copies = Object.entries(FILES).map(([path, text]) => [`mirror/${path}`, text])
  const budgetOf = async (files: Record<string, string>) =>
    (await cli(['budget', '.', '--context', '5000', '--json'], { cwd: temporaryFolder(files) }))
      .json()
      .skills.map(({ name, shown, enough }: Record<string, unknown>) => [name, shown, enough])
  expect(await budgetOf({ ...FILES, ...Object.fromEntries(copies) })).toEqual(await budgetOf(FILES))
})
