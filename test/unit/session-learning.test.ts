import { describe, expect, it, vi } from 'vitest'
import { type LocalLibrary, memory, openLibrary } from '../../src/exports/index.js'
import type { Session, SessionOptions } from '../../src/exports/session.js'
import { callTool, createSession, restoreSession } from '../../src/exports/session.js'
import type { LearnedStore } from '../../src/exports/sources.js'
import { skill } from '../skill-file.js'

const FILES: Record<string, string> = {
  'deck/SKILL.md': skill('deck', 'Makes slides for a talk'),
  'mail/SKILL.md': skill('mail', 'Writes letters to clients'),
  'tea/SKILL.md': skill('tea', 'Brews green tea'),
}

async function open(options: SessionOptions = {}, store?: Partial<LearnedStore>) {
  let saved: unknown
  const save: LearnedStore['save'] = async messages => {
    saved = messages
  }
  const learn: LearnedStore = { load: async () => saved, save, ...store }
  const library = await openLibrary(memory(FILES, { name: 'mine' }), { learn })
  return { library, session: createSession(library, { learn: true, ...options }) }
}
const load = (session: Session, name: string) => callTool(session, 'load_skill', { skill: name })
const pairs = async (library: LocalLibrary): Promise<string[]> =>
  (await library.learned()).map(({ skill, message }) => `${skill}: ${message}`)

describe('a session', () => {
  it('[BY-14] learns the message for the skill that the model opens', async () => {
    const { library, session } = await open()
    expect((await session.prepare('the usual for Monday')).matches).toEqual([])
    await load(session, 'deck')
    expect(await pairs(library)).toEqual(['mine/deck: the usual for Monday'])
    const { matches, tail } = await createSession(library).prepare('the usual for Monday')
    expect(matches[0]?.id).toBe('mine/deck')
    expect(tail).toContain('<name>deck</name>')
    expect(tail).not.toContain('the usual')
  })

  it('[BY-14] shows learned messages to nobody but the host: prompts and tool results do not quote them', async () => {
    const { library, session } = await open()
    await library.learn('my secret slides', 'tea')
    await library.learn('my secret habit', 'tea')
    for (const query of ['my secret slides', 'my secret habit']) {
      const { text, data } = await callTool(session, 'search_skills', { query, limit: 1 })
      expect(text).toContain('<name>tea</name>')
      expect(data).toMatchObject({
        skills: [{ name: 'tea', reason: 'chosen before for a similar message' }],
      })
    }
  })

  it('[BY-14] learns nothing by default', async () => {
    const { library, session } = await open({ learn: undefined })
    await session.prepare('the usual for Monday')
    await load(session, 'deck')
    expect(await pairs(library)).toEqual([])
  })

  it('[BY-14] learns only the first skill of a message: its instructions may need the next one', async () => {
    const { library, session } = await open()
    await session.prepare('the usual for Monday')
    await load(session, 'deck')
    await load(session, 'mail')
    expect(await pairs(library)).toEqual(['mine/deck: the usual for Monday'])
  })

  it('[BY-14] learns nothing from skills that the match, a user or the host opens', async () => {
    const { library, session } = await open({ auto: true })
    expect((await session.prepare('make slides for a talk')).loaded).toEqual(['mine/deck'])
    await load(session, 'deck')
    await session.load('mail', { by: 'user' })
    await session.load('tea')
    expect(await pairs(library)).toEqual([])
  })

  it('[BY-14] learns nothing from a skill that is opened again, or restored', async () => {
    const { library, session } = await open()
    await load(session, 'deck')
    await session.prepare('the usual for Monday')
    session.observe([])
    await load(session, 'deck')
    const { session: restored } = await restoreSession(library, session.toJSON(), { learn: true })
    await restored.prepare('the usual for Monday')
    expect(restored.open).toHaveLength(1)
    expect(await pairs(library)).toEqual([])
  })

  it('[BY-14] learns nothing from "yes, do that", but from a short message that asks for something', async () => {
    const { library, session } = await open()
    const history = [
      { role: 'user', content: 'Can you make slides for a talk?' },
      { role: 'assistant', content: 'Yes. Shall I?' },
    ]
    await session.prepare({ message: 'yes, do that', history })
    await load(session, 'deck')
    expect(await pairs(library)).toEqual([])
    await session.prepare({ message: 'brew green tea', history })
    await load(session, 'tea')
    expect(await pairs(library)).toEqual(['mine/tea: brew green tea'])
  })

  it('[BY-14] learns nothing from a message of more than 300 characters', async () => {
    const warn = vi.spyOn(console, 'warn')
    const { library, session } = await open()
    await session.prepare('word '.repeat(70))
    expect((await load(session, 'deck')).isError).toBe(false)
    expect(await pairs(library)).toEqual([])
    expect(warn).not.toHaveBeenCalled()
    warn.mockRestore()
  })

  it('[BY-14] opens the skill even if its store fails, and warns once', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    const { session } = await open({}, { save: () => Promise.reject(new Error('disk full')) })
    for (const name of ['deck', 'mail']) {
      await session.prepare(`the usual for ${name}s`)
      expect((await load(session, name)).isError).toBe(false)
    }
    expect(warn.mock.calls).toEqual([['skillshelf: a message could not be learned: disk full']])
    warn.mockRestore()
  })

  it('[BY-14] needs a library that learns', async () => {
    const library = await openLibrary(FILES)
    const details = { hint: expect.stringContaining('learn: true') }
    const refused = expect.objectContaining({ code: 'invalid-input', details })
    expect(() => createSession(library, { learn: true })).toThrow(refused)
  })
})

describe('the report of a session', () => {
  const after = [
    { role: 'user', content: 'hello there, who are you and what can you do for me today?' },
    { role: 'assistant', content: 'hi' },
  ] as const
  const noted = async (messages: readonly string[]) => {
    const { library, session } = await open()
    for (const message of [...messages, 'the last one of this conversation']) {
      await session.prepare({ message, history: after })
    }
    return library.report()
  }

  it('[BY-28] has short messages after the first turn', async () => {
    const { notOpened, nothing, neverMatched } = await noted([
      'make slides',
      'book a flight to Oslo',
      '写信给客户',
    ])
    expect(notOpened.map(({ message, skill }) => [message, skill])).toEqual([
      ['make slides', 'mine/deck'],
    ])
    expect(nothing.map(({ message }) => message)).toEqual(['book a flight to Oslo', '写信给客户'])
    expect(neverMatched).toEqual(['mine/mail', 'mine/tea'])
  })

  it('[BY-28] leaves out messages that ask for nothing alone', async () => {
    const { notOpened, near, nothing } = await noted([
      'yes, do that',
      'why?',
      'thanks',
      '好的，就这样',
    ])
    expect([...notOpened, ...near, ...nothing]).toEqual([])
  })

  it('[BY-28] has a message that refers back and matches a skill by its own words', async () => {
    const { notOpened } = await noted(['and brew me that green tea'])
    expect(notOpened.map(({ skill }) => skill)).toEqual(['mine/tea'])
  })
})
