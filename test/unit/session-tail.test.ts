import { expect, it } from 'vitest'
import type { MatchQuery } from '../../src/exports/index.js'
import { estimateTokens, memory, openLibrary, type SkillLibrary } from '../../src/exports/index.js'
import { createSession, type SessionMessage } from '../../src/exports/session.js'
import { skill } from '../skill-file.js'

const open = (files: Record<string, string>): Promise<SkillLibrary> =>
  openLibrary(memory(files, { name: 'mine' }))

const LONG = 'It reads the whole page, its notes and its figures. '.repeat(12)
const FILES = {
  'pdf/SKILL.md': skill('pdf', `Extracts the tables from a PDF document. ${LONG}`),
  'forms/SKILL.md': skill('forms', `Fills the forms of a PDF document. ${LONG}`),
  'merge/SKILL.md': skill('merge', `Merges PDF documents into one document. ${LONG}`),
  'scan/SKILL.md': skill('scan', `Reads scans of a document. ${LONG}`),
  'sign/SKILL.md': skill('sign', `Signs a document. ${LONG}`),
  'print/SKILL.md': skill('print', `Prints a document. ${LONG}`),
  'tea/SKILL.md': skill('tea', 'Brews tea'),
}
const MESSAGE = 'extract the tables from this PDF document'
const listed = (tail: string): string[] =>
  [...tail.matchAll(/<name>([^<]*)/g)].map(([, name = '']) => name)

it('[BY-2] the tail lists the first five skills, each with a line of its description, in 400 tokens', async () => {
  await using library = await open(FILES)
  const session = createSession(library)
  const { tail, matches } = await session.prepare(MESSAGE)
  expect(matches[0]?.name).toBe('pdf')
  const names = listed(tail)
  expect(names[0]).toBe('pdf')
  expect(new Set(names).size).toBe(5)
  expect(names).not.toContain('tea')
  expect(tail).toMatch(
    /^<matching_skills>\n<skill>\n<name>pdf<\/name>\n<description>Extracts the tables from a PDF document\.[^\n]*…<\/description>/,
  )
  expect(tail.match(/<description>[A-Z][^\n]{29,}…<\/description>/g)).toHaveLength(5)
  expect(estimateTokens(tail)).toBeLessThanOrEqual(400)
  expect(listed((await session.prepare(MESSAGE, { limit: 3 })).tail)).toHaveLength(3)
})

it('[BY-2] without a match, the tail lists possible skills, lets the model choose or ignore them, and opens none', async () => {
  await using library = await open(FILES)
  const session = createSession(library, { auto: true })
  const turn = await session.prepare({ message: MESSAGE }, { threshold: 1 })
  expect(turn).toMatchObject({ matches: [], loaded: [] })
  expect(turn.maybe[0]?.name).toBe('pdf')
  expect(turn.tail).toMatch(
    /^<possible_skills>\nUncertain\. Choose the one whose description fits the message, or ignore them\.\n<skill>\n<name>pdf</,
  )
  expect(listed(turn.tail)).toHaveLength(5)
  expect((await session.prepare({ message: MESSAGE })).tail).not.toContain('possible_skills')
  expect((await session.prepare({ message: 'tell me a joke' })).tail).toBe('')
})

it('possible skills are not open ones', async () => {
  await using library = await open(FILES)
  const session = createSession(library)
  const message = 'extract the tables and fill the forms of this PDF document'
  const closed = await session.prepare({ message }, { threshold: 1 })
  expect(closed.maybe.map(({ name }) => name)).toEqual(expect.arrayContaining(['pdf', 'forms']))
  await session.load('pdf', { by: 'model' })
  const { maybe, tail } = await session.prepare({ message }, { threshold: 1 })
  expect(maybe.map(({ name }) => name)).not.toContain('pdf')
  expect(listed(tail)).not.toContain('pdf')
  expect(listed(tail).length).toBeGreaterThan(2)
})

it('the tail lists the nearest skills by the message that a short reply refers to', async () => {
  await using library = await open(FILES)
  const history: SessionMessage[] = [
    { role: 'user', content: MESSAGE },
    { role: 'assistant', content: 'Shall I?' },
  ]
  const { tail } = await createSession(library).prepare({ message: 'yes, do that', history })
  expect(listed(tail)[0]).toBe('pdf')
  expect(listed(tail)).not.toContain('tea')
  expect(listed(tail)).toHaveLength(5)
})

it('if no skill serves, the tail lists the nearest ones only if the catalog does not list all', async () => {
  await using library = await open(FILES)
  // Which messages find nothing depends on the calibration.
  const nothing = { matches: [], abstained: 'below-threshold' }
  const match = async (query: MatchQuery) => ({ ...(await library.search(query)), ...nothing })
  const strict: SkillLibrary = Object.assign(Object.create(library) as SkillLibrary, { match })
  const tail = async (catalogTokens: number): Promise<string> =>
    (await createSession(strict, { catalogTokens }).prepare('brew something')).tail
  expect(await tail(10_000)).toBe('')
  expect(await tail(60)).toMatch(
    /^<possible_skills>\nUncertain\.[^\n]*\n<skill>\n<name>tea<\/name>\n<description>Brews tea</,
  )
})
