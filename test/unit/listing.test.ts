import { expect, it } from 'vitest'
import { memory, openLibrary, parseSkill } from '../../src/exports/index.js'
import { openDraft } from '../../src/tools/listing/draft.js'
import { countShown, fitList, shownAs } from '../../src/tools/listing/fit-list.js'
import { LISTINGS } from '../../src/tools/listing/host-listings.js'
import { replaceDescription } from '../../src/tools/listing/replace-description.js'

const BOAT = 'Mends a "wooden" boat: 木船.'

it.each([
  ['plain', 'name: boat\ndescription: Old.\nversion: 1.0.0'],
  ['on many lines', 'name: boat\ndescription: >\n  Old\n\n  and long.\nversion: 1.0.0'],
  ['broken', 'name: boat\ndescription: Old: with a colon\nversion: 1.0.0'],
  ['missing', 'name: boat\nversion: 1.0.0'],
])('[BY-25] a description is replaced, and nothing else: %s', async (_, frontmatter) => {
  for (const lineBreak of ['\n', '\r\n']) {
    const text = `---\n${frontmatter}\n---\nRow.\n`.replaceAll('\n', lineBreak)
    const { metadata, body } = await parseSkill(replaceDescription(text, BOAT))
    expect(metadata).toEqual({ name: 'boat', description: BOAT, version: '1.0.0' })
    expect(body).toBe(`Row.${lineBreak}`)
  }
})

it('[BY-25] a file without frontmatter gets a description', async () => {
  const { metadata, body } = await parseSkill(replaceDescription('# Boat\n', BOAT))
  expect([metadata.description, body.trim()]).toEqual([BOAT, '# Boat'])
})

it('[BY-25] the list of each host has its own limits', () => {
  const [claude, codex] = LISTINGS
  if (!claude || !codex) throw new Error('Two hosts say what they list')
  const skills = [
    { name: 'boat', description: 'x'.repeat(2_000) },
    { name: 'tea', description: 'Brews tea.' },
  ]
  expect(fitList(skills, claude, 1_000_000)).toEqual([1_536, 10])
  expect(fitList(skills, codex, 1_000_000)).toEqual([2_000, 10])
  expect(countShown(skills, fitList(skills, claude, 200_000))).toEqual({
    whole: 1,
    cut: 1,
    named: 0,
    unlisted: 0,
  })
  const small = fitList(skills, claude, 250)
  expect(small).toEqual([0, undefined])
  expect(skills.map((skill, at) => shownAs(small[at], skill))).toEqual(['named', 'unlisted'])
})

it('[BY-25] a draft ranks as its library does, with the ids of its skills, and follows a new description', async () => {
  const files = {
    'boat/SKILL.md': '---\nname: boat\ndescription: Mends wood.\ntags: [harbor]\n---\nRow.\n',
    'boat/messages.txt': 'my hull leaks\n',
    'tea/SKILL.md': '---\nname: tea\ndescription: Brews tea.\n---\nPour.\n',
  }
  await using library = await openLibrary(memory(files, { name: 'mine' }), { embedder: false })
  const skills = await Promise.all(library.snapshot.skills.map(({ id }) => library.get(id)))
  const draft = await openDraft(skills, { embedder: false })
  await using _ = draft.library
  const scores = async (one: typeof library, message: string) =>
    (await one.search(message)).matches.map(({ id, score }) => [id, score])
  for (const message of ['harbor', 'the hull leaks', 'brew some tea', 'row']) {
    expect(await scores(draft.library, message)).toEqual(await scores(library, message))
  }
  expect(await scores(draft.library, 'caulk the planks')).toEqual([])
  await draft.describe(new Map([['mine/boat', 'Caulks planks.']]))
  expect((await scores(draft.library, 'caulk the planks'))[0]?.[0]).toBe('mine/boat')
  expect(draft.text('mine/boat')).toContain('description: "Caulks planks."')
})
