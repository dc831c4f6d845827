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

it('[BY-23] beside a likely match, the tail lists the skills that could serve, each with a line of its description', async () => {
  await using library = await open(FILES)
  const { tail, matches } = await createSession(library).prepare(MESSAGE)
  expect(matches[0]?.name).toBe('pdf')
  expect(listed(tail)).toEqual(['pdf'])
  expect(tail).toMatch(
    /^<matching_skills>\n<skill>\n<name>pdf<\/name>\n<description>Extracts the tables from a PDF document\.[^\n]*…<\/description>/,
  )
  const ranked = async (...scores: number[]): Promise<string[]> => {
    const { matches } = await library.search(MESSAGE, { limit: scores.length })
    const scored = matches.map((match, rank) => ({ ...match, score: scores[rank] ?? 0 }))
    const match = async () => ({ ...(await library.search(MESSAGE)), matches: scored })
    const likely: SkillLibrary = Object.assign(Object.create(library) as SkillLibrary, { match })
    return listed((await createSession(likely).prepare(MESSAGE)).tail)
  }
  expect(await ranked(0.8, 0.02, 0.019, 0.001)).toHaveLength(2)
  expect(await ranked(0.8, 0.1, 0.05, 0.04, 0.03)).toHaveLength(5)
})

it('[BY-2] the longest descriptions are cut to 400 tokens of the tail', async () => {
  await using library = await open(FILES)
  const session = createSession(library)
  const { tail } = await session.prepare(MESSAGE, { threshold: 0 })
  expect(estimateTokens(tail)).toBeLessThanOrEqual(400)
  expect(estimateTokens((await session.prepare(MESSAGE, { threshold: 1 })).tail)).toBeLessThan(300)
})

it('[BY-2] without a match, the tail lists possible skills, lets the model choose or ignore them, and opens none', async () => {
  await using library = await open(FILES)
  const session = createSession(library, { auto: true })
  const turn = await session.prepare({ message: MESSAGE }, { threshold: 1 })
  expect(turn).toMatchObject({ matches: [], loaded: [] })
  expect(turn.maybe[0]?.name).toBe('pdf')
  expect(turn.tail).toMatch(
    /^<possible_skills>\nUncertain\. Choose the one whose description fits the message, or ignore them\.\n<name>pdf<\/name> Extracts the tables/,
  )
  expect(listed(turn.tail).slice(0, 6)).not.toContain('tea')
  expect(new Set(listed(turn.tail)).size).toBeGreaterThan(5)
  const few = await session.prepare({ message: MESSAGE }, { threshold: 1, limit: 3 })
  expect(listed(few.tail)).toHaveLength(3)
  expect((await session.prepare({ message: MESSAGE })).tail).not.toContain('possible_skills')
  expect((await session.prepare({ message: 'tell me a joke' })).tail).toBe('')
})

it('[BY-21] the tail does not offer skills that are open', async () => {
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
  // A match that is open stays a match.
  const turn = await session.prepare(MESSAGE)
  expect(turn.matches[0]?.name).toBe('pdf')
  expect(listed(turn.tail)).toEqual([])
})

it('the tail lists the nearest skills by the message that a short reply refers to', async () => {
  await using library = await open(FILES)
  const history: SessionMessage[] = [
    { role: 'user', content: MESSAGE },
    { role: 'assistant', content: 'Shall I?' },
  ]
  const { tail } = await createSession(library).prepare({ message: 'yes, do that', history })
  expect(listed(tail)).toEqual(['pdf'])
})

it('[BY-23] if no skill serves, the tail lists the nearest ones that the catalog lacks, and those that one message in five needs', async () => {
  await using library = await open(FILES)
  const tail = async (score: number, catalogTokens: number): Promise<string> => {
    // Which messages find nothing depends on the calibration.
    const search = async (query: MatchQuery) => {
      const found = await library.search(query)
      return { ...found, matches: found.matches.map(match => ({ ...match, score })) }
    }
    const match = async (query: MatchQuery) => ({ ...(await search(query)), matches: [] })
    const unserved = Object.assign(Object.create(library) as SkillLibrary, { search, match })
    return (await createSession(unserved, { catalogTokens }).prepare('brew something')).tail
  }
  expect(await tail(0.19, 10_000)).toBe('')
  expect(await tail(0.019, 60)).toBe('')
  const listsTea = /^<possible_skills>\nUncertain\.[^\n]*\n<name>tea<\/name> Brews tea\n/
  expect(await tail(0.2, 10_000)).toMatch(listsTea)
  expect(await tail(0.02, 60)).toMatch(listsTea)
})
