import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openLibrary } from '../../src/exports/index.js'
import { directory, learnedFile } from '../../src/exports/node.js'
import { callTool, createSession } from '../../src/exports/session.js'
import { cli, skill, temporaryFolder } from './cli-world.js'

const FILES = {
  'skills/deck/SKILL.md': skill('deck', 'Makes slides for a talk.'),
  'skills/mail/SKILL.md': skill('mail', 'Writes letters to clients.'),
  'skills/tea/SKILL.md': skill('tea', 'Brews green tea.'),
}
const open = (folder: string) =>
  openLibrary(directory(join(folder, 'skills')), {
    embedder: false,
    learn: learnedFile(join(folder, 'learned.json')),
  })

/** A conversation with four messages, of which one opens a skill. */
async function used() {
  const folder = temporaryFolder(FILES)
  const library = await open(folder)
  const session = createSession(library, { learn: true })
  await session.prepare('make slides for my talk')
  await callTool(session, 'load_skill', { skill: 'deck' })
  await session.prepare('write letters to all of our clients please')
  for (let times = 0; times < 2; times++)
    await session.prepare('how tall is mount everest, and who climbed it first')
  await session.prepare('and now the end')
  return { folder, library }
}
const texts = (messages: readonly { message: string }[]) => messages.map(({ message }) => message)

it('[BY-28] reports messages that opened a skill, matched one that was not opened, or found nothing', async () => {
  const { folder, library } = await used()
  const report = await library.report()
  expect(texts(report.opened)).toEqual(['make slides for my talk'])
  const [missed, ...none] = [...report.notOpened, ...report.near]
  const message = 'write letters to all of our clients please'
  expect(missed).toEqual({
    message,
    skill: 'skills/mail',
    count: 1,
    last: expect.stringMatching(/Z$/),
  })
  expect(none).toEqual([])
  expect(report.nothing).toMatchObject([
    { message: 'how tall is mount everest, and who climbed it first', count: 2 },
  ])
  expect(report.neverMatched).toEqual(['skills/tea'])
  // It is plain data, and another program reads the same.
  await library.close()
  await using again = await open(folder)
  expect(await again.report()).toEqual(JSON.parse(JSON.stringify(report)))
})

it('[BY-28] unused messages do not change what is found, are not learned, and are forgotten', async () => {
  const { folder, library } = await used()
  await using plain = await openLibrary(directory(join(folder, 'skills')), { embedder: false })
  const message = 'write letters to all of our clients please'
  expect((await library.search(message)).matches).toEqual((await plain.search(message)).matches)
  expect(texts(await library.learned())).toEqual(['make slides for my talk'])
  // A message that opens a skill later is no longer unused.
  await library.learn(message, 'mail')
  const later = await library.report()
  expect([...later.notOpened, ...later.near]).toEqual([])
  expect(texts(later.opened)).toContain(message)
  expect(await library.forget({ all: true })).toBe(3)
  expect(await library.report()).toMatchObject({
    opened: [],
    nothing: [],
    neverMatched: { length: 3 },
  })
  expect(await readFile(join(folder, 'learned.json'), 'utf8')).toBe('[]\n')
  await library.close()
})

it('[BY-28] keeps the newest 500, one for each message, none that is too long, and nothing without "learn"', async () => {
  const { folder, library } = await used()
  const nothing = { matches: [], maybe: [] }
  await library.importLearned(
    Array.from({ length: 501 }, (_, index) => ({
      skill: 'skills/tea',
      message: `number ${index}`,
      count: 1,
      last: new Date(index).toISOString(),
      outcome: 'near',
    })),
  )
  await library.noteUnused('x'.repeat(301), nothing)
  expect(
    (await library.report()).near.length + (await library.report()).nothing.length,
  ).toBeLessThanOrEqual(500)
  await library.close()
  await using plain = await openLibrary(directory(join(folder, 'skills')), { embedder: false })
  await expect(plain.report()).rejects.toMatchObject({ code: 'unsupported' })
  await expect(plain.noteUnused('hello', nothing)).rejects.toMatchObject({ code: 'unsupported' })
})

it('[BY-28] skillshelf report prints it, as JSON and as trigger tests', async () => {
  const { folder, library } = await used()
  const report = JSON.parse(JSON.stringify(await library.report()))
  await library.close()
  const args = ['report', '--learned', 'learned.json']
  expect((await cli([...args, '--json'], { cwd: folder })).json()).toEqual(report)
  const { out } = await cli(args, { cwd: folder })
  expect(out).toContain('1 message opened a skill\n  make slides for my talk: deck\n')
  expect(out).toContain(
    '1 message found nothing\n  how tall is mount everest, and who climbed it first (2 times)',
  )
  expect(out).toContain('1 skill never matched\n  tea\n')
  const triggers = await cli([...args, '--triggers'], { cwd: folder })
  expect(triggers.out).toBe('- message: make slides for my talk\n  skill: deck\n')
  expect((await cli(['report', '--learned', 'none.json'], { cwd: folder })).err).toContain(
    'No such file: none.json',
  )
})
