import { describe, expect, it, vi } from 'vitest'
import type { Diagnostic, SearchResult } from '../../src/exports/index.js'
import { type LocalLibrary, memory, openLibrary } from '../../src/exports/index.js'
import { type Reranker, reasonOf } from '../../src/exports/match.js'
import type { LearnedMessage, LearnedStore } from '../../src/exports/sources.js'

const skill = (name: string, description: string): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\n`

const FILES: Readonly<Record<string, string>> = {
  'deck/SKILL.md': skill('deck', 'Makes slides for a talk'),
  'mail/SKILL.md': skill('mail', 'Writes letters to clients'),
  'sql/SKILL.md': skill('sql', 'Writes database queries'),
  'tea/SKILL.md': skill('tea', 'Brews green tea'),
}
const source = (files: Readonly<Record<string, string>> = FILES) =>
  memory({ ...files }, { name: 'mine' })

/** A store in memory. Data is copied as JSON, as any storage does. */
function memoryStore(data?: unknown): LearnedStore & { readonly data: unknown } {
  let text = data === undefined ? undefined : JSON.stringify(data)
  return {
    get data() {
      return text === undefined ? undefined : JSON.parse(text)
    },
    async load() {
      return text === undefined ? undefined : JSON.parse(text)
    },
    async save(messages) {
      text = JSON.stringify(messages)
    },
  }
}
const open = (store: LearnedStore = memoryStore()): Promise<LocalLibrary> =>
  openLibrary(source(), { learn: store })
const names = ({ matches }: SearchResult): string[] => matches.map(({ name }) => name)
const pairs = (messages: readonly LearnedMessage[]): string[] =>
  messages.map(one => `${one.skill}: ${one.message}`)
/** A learned message of one day of March. */
function learnedOn(day: number, message: string, skill = 'mine/tea', count = 1): LearnedMessage {
  return { skill, message, count, last: new Date(Date.UTC(2026, 2, day)).toISOString() }
}

describe('the same message', () => {
  it('[BY-14] finds its skill first, whatever its case, width and punctuation', async () => {
    await using library = await open()
    const message = 'the usual for Monday'
    expect(names(await library.match(message))).toEqual([])
    await library.learn(message, 'deck')
    for (const again of [message, 'The USUAL, for ｍonday!']) {
      const { matches, abstained } = await library.match(again)
      expect(matches[0]).toMatchObject({
        id: 'mine/deck',
        signals: { learned: { message, exact: true } },
      })
      expect(matches[0]?.score).toBeGreaterThan(0.9)
      expect(abstained).toBeUndefined()
    }
  })

  it('[BY-14] comes before a skill that its words find', async () => {
    await using library = await open()
    const message = 'write letters to clients'
    expect(names(await library.match(message))[0]).toBe('mail')
    await library.learn(message, 'tea')
    const { served, matches } = await library.match(message)
    expect(matches.map(({ name }) => name).slice(0, 2)).toEqual(['tea', 'mail'])
    const scores = matches.map(({ score }) => score)
    expect(scores).toEqual([...scores].sort((a, b) => b - a))
    expect(scores.reduce((sum, score) => sum + score, 0)).toBeLessThanOrEqual(served + 1e-9)
  })

  it('[BY-14] is named by the reason, in English and Chinese', async () => {
    await using library = await open()
    await library.learn('老样子', 'deck')
    const [match] = (await library.search('老样子')).matches
    expect(match?.reason).toBe('chosen before for the message “老样子”')
    expect(match && reasonOf(match.signals, 'zh')).toBe('此前曾为消息“老样子”选用')
    expect((await library.search('老样子', { language: 'zh' })).matches[0]?.reason).toBe(
      '此前曾为消息“老样子”选用',
    )
  })

  it('[BY-14] of two skills finds the last one first', async () => {
    await using library = await open()
    await library.learn('the usual', 'deck')
    await library.learn('the usual', 'deck')
    await library.learn('the usual', 'tea')
    expect(names(await library.search('the usual', { limit: 2 }))).toEqual(['tea', 'deck'])
    await library.learn('the usual', 'deck')
    expect(names(await library.search('the usual', { limit: 2 }))).toEqual(['deck', 'tea'])
    expect((await library.learned()).map(({ skill, count }) => `${count} ${skill}`)).toEqual([
      '1 mine/tea',
      '3 mine/deck',
    ])
  })

  it('[BY-14] without a word, such as an emoji, finds its skill', async () => {
    await using library = await open()
    await library.learn('🍵', 'tea')
    expect(names(await library.match('🍵'))).toEqual(['tea'])
    expect(await library.match('🎨')).toMatchObject({ matches: [], abstained: 'empty-message' })
  })

  it('[BY-14] is not reordered by a reranker', async () => {
    const rerank = vi.fn<Reranker>(async () => ['mine/mail'])
    await using library = await openLibrary(source(), { learn: memoryStore(), rerank })
    await library.learn('write letters to clients', 'tea')
    expect(names(await library.match('write letters to clients'))[0]).toBe('tea')
    expect(rerank).not.toHaveBeenCalled()
  })

  it('[BY-14] is explained as it is matched', async () => {
    await using library = await open()
    await library.learn('write letters to clients', 'tea')
    const first = await library.explain('write letters to clients', 'tea')
    expect(first).toMatchObject({
      rank: 1,
      matched: true,
      reason: expect.stringContaining('chosen before'),
    })
    expect(await library.explain('write letters to clients', 'mail')).toMatchObject({
      rank: 2,
      name: 'mail',
    })
  })

  it('[BY-14] respects tags and limit', async () => {
    await using library = await open()
    await library.learn('the usual', 'tea')
    expect(names(await library.search('the usual', { tags: ['none'] }))).toEqual([])
    expect(names(await library.search('the usual slides', { limit: 1 }))).toHaveLength(1)
  })
})

describe('another message', () => {
  it('[BY-14] with most of the words raises the skill', async () => {
    await using library = await open()
    const message = 'quarterly numbers for the Zurich board'
    const before = await library.search(message)
    expect(before.matches.find(({ name }) => name === 'sql')).toBeUndefined()
    await library.learn('quarterly numbers for the Zurich board please', 'sql')
    const { matches } = await library.search(message)
    expect(matches[0]).toMatchObject({ name: 'sql', signals: { learned: { exact: false } } })
    expect(matches[0]?.score).toBeLessThan(0.7)
    expect(matches[0]?.reason).toContain('quarterly numbers for the Zurich board please')
  })

  it('[BY-14] that is unrelated changes nothing', async () => {
    await using plain = await openLibrary(source())
    await using library = await open()
    await library.learn('the usual for Monday', 'tea')
    for (const message of ['slides for a talk', 'Datenbank abfragen', '写一封信', 'hello', ''])
      expect(await library.search(message)).toEqual(await plain.search(message))
  })
})

describe('without `learn`', () => {
  it('[BY-14] results are the same, and learning is refused with what to do', async () => {
    await using library = await openLibrary(source())
    expect(library.learns).toBe(false)
    const calls = [
      () => library.learn('the usual', 'deck'),
      () => library.forget({ all: true }),
      () => library.learned(),
      () => library.importLearned([]),
    ]
    const error = { code: 'unsupported', details: { hint: expect.stringContaining('learn: true') } }
    for (const call of calls) await expect(call()).rejects.toMatchObject(error)
    await using learning = await open()
    expect(learning.learns).toBe(true)
    for (const message of ['slides for a talk', 'green tea', 'nothing at all'])
      expect(await learning.match(message)).toEqual(await library.match(message))
  })

  it('[BY-40] [BY-14] without IndexedDB, `learn: true` opens the library with a diagnostic', async () => {
    await using library = await openLibrary(source(), { learn: true, onDiagnostic: () => {} })
    expect(library.snapshot.diagnostics.map(({ code }) => code)).toEqual(['learned-unreadable'])
    expect((await library.match('slides for a talk')).matches).toHaveLength(1)
    await expect(library.learn('hello', 'deck')).rejects.toMatchObject({ code: 'unsupported' })
  })

  it('a store without its methods is refused', async () => {
    // @ts-expect-error a store has load and save
    await expect(openLibrary(source(), { learn: {} })).rejects.toMatchObject({
      code: 'invalid-input',
    })
    // @ts-expect-error a store has load and save
    await expect(openLibrary(source(), { learn: 'yes' })).rejects.toMatchObject({
      code: 'invalid-input',
    })
  })
})

describe('what is kept', () => {
  it('[BY-14] survives in the store, on one line without hidden characters', async () => {
    const store = memoryStore()
    {
      await using library = await open(store)
      await library.learn('  the\u202e usual\n for\u200b Monday ', 'deck')
    }
    await using library = await open(store)
    expect(pairs(await library.learned())).toEqual(['mine/deck: the usual for Monday'])
    expect(names(await library.match('the usual for Monday'))).toEqual(['deck'])
  })

  it('[BY-14] has 1 to 300 characters', async () => {
    await using library = await open()
    await library.learn('x'.repeat(300), 'deck')
    for (const message of ['x'.repeat(301), '', ' \u200b ', 7 as unknown as string])
      await expect(library.learn(message, 'deck')).rejects.toMatchObject({ code: 'invalid-input' })
    await expect(library.learn('hello', 'dek')).rejects.toMatchObject({ code: 'skill-not-found' })
    expect(await library.learned()).toHaveLength(1)
  })

  it('[BY-14] is at most 16 messages of a skill: the least used leaves first, then the oldest', async () => {
    await using library = await open()
    const days = Array.from({ length: 16 }, (_, day) => day)
    await library.importLearned(
      days.map(day => learnedOn(day + 1, `number ${day}`, 'mine/tea', day === 0 ? 5 : 2)),
    )
    await library.learn('one more', 'tea')
    const kept = pairs(await library.learned())
    expect(kept).toHaveLength(16)
    expect(kept).toContain('mine/tea: number 0')
    expect(kept).not.toContain('mine/tea: number 1')
    expect(kept.at(-1)).toBe('mine/tea: one more')
  })

  it('[BY-14] is at most 2,000 messages', async () => {
    const store = memoryStore()
    await using library = await open(store)
    const numbers = Array.from({ length: 2_100 }, (_, number) => number)
    await library.importLearned(
      numbers.map(one => learnedOn(1, `number ${one}`, `other/${one}`, one < 50 ? 1 : 2)),
    )
    expect(await library.learned()).toHaveLength(2_000)
    await library.learn('one more', 'tea')
    const kept = await library.learned()
    expect(kept).toHaveLength(2_000)
    expect(kept.filter(({ count }) => count === 1).map(({ message }) => message)).toEqual([
      'one more',
    ])
    expect(store.data).toEqual(kept)
  })

  it('[BY-14] is forgotten by skill, by message, by both, or all', async () => {
    const store = memoryStore()
    await using library = await open(store)
    for (const message of ['one', 'two', 'three']) {
      for (const name of ['deck', 'tea']) await library.learn(message, name)
    }
    expect(await library.forget({ skill: 'deck', message: 'ONE!' })).toBe(1)
    expect(await library.forget({ message: 'two' })).toBe(2)
    expect(await library.forget({ skill: 'tea' })).toBe(2)
    expect(pairs(await library.learned())).toEqual(['mine/deck: three'])
    await expect(library.forget({})).rejects.toMatchObject({ code: 'invalid-input' })
    await expect(library.forget({ all: true, skill: 'deck' })).rejects.toMatchObject({
      code: 'invalid-input',
    })
    expect(await library.forget({ all: true })).toBe(1)
    expect(store.data).toEqual([])
    expect(names(await library.match('three'))).toEqual([])
  })

  it('[BY-14] is exported, and imported once', async () => {
    await using library = await open()
    await library.learn('the usual', 'deck')
    await library.learn('the usual', 'deck')
    const exported = JSON.parse(JSON.stringify(await library.learned()))
    expect(exported).toEqual([
      {
        skill: 'mine/deck',
        message: 'the usual',
        count: 2,
        last: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    ])
    await using other = await open()
    await other.importLearned(exported)
    await other.importLearned(exported)
    expect(await other.learned()).toEqual(exported)
    expect(names(await other.match('the usual'))).toEqual(['deck'])
    await other.importLearned([learnedOn(1, 'The usual!', 'mine/deck', 9)])
    expect(await other.learned()).toEqual([{ ...exported[0], count: 9 }])
  })

  it.each<[string, unknown]>([
    ['no list', { skill: 'deck' }],
    ['no skill', [{ ...learnedOn(1, 'x'), skill: '' }]],
    ['no message', [{ ...learnedOn(1, 'x'), message: ' ' }]],
    ['a count of 0', [{ ...learnedOn(1, 'x'), count: 0 }]],
    ['no date', [{ ...learnedOn(1, 'x'), last: 'yesterday' }]],
    ['no object', [null]],
  ])('[BY-14] import refuses %s', async (_, list) => {
    await using library = await open()
    await expect(library.importLearned(list as LearnedMessage[])).rejects.toMatchObject({
      code: 'invalid-input',
    })
  })

  it('[BY-14] has every message of calls at the same time', async () => {
    await using library = await open()
    await Promise.all(
      Array.from({ length: 10 }, (_, number) => library.learn(`number ${number}`, 'deck')),
    )
    expect(await library.learned()).toHaveLength(10)
  })

  it('[BY-14] of a removed skill is skipped, and dropped with the next message; of another library it is kept', async () => {
    const { 'tea/SKILL.md': _, ...files } = FILES
    const store = memoryStore([
      learnedOn(1, 'the usual', 'mine/tea'),
      learnedOn(2, 'the usual', 'other/tea'),
    ])
    await using library = await openLibrary(source(files), { learn: store })
    expect(names(await library.match('the usual'))).toEqual([])
    expect(await library.learned()).toHaveLength(2)
    await library.learn('hello', 'deck')
    expect(pairs(await library.learned())).toEqual(['other/tea: the usual', 'mine/deck: hello'])
    expect(await library.forget({ skill: 'other/tea' })).toBe(1)
  })

  it('[BY-14] of a removed skill is not that of a new one with its id', async () => {
    const files = source()
    const store = memoryStore()
    await using library = await openLibrary(files, { learn: store })
    await library.learn('the usual', 'tea')
    await library.learn('hello', 'mail')
    const tea = FILES['tea/SKILL.md'] as string
    const become = async (...texts: (string | undefined)[]) => {
      for (const text of texts) {
        const path = 'tea/SKILL.md'
        await files.write(
          text === undefined
            ? { remove: [path] }
            : { put: { [path]: new TextEncoder().encode(text) } },
        )
        await library.refresh()
      }
    }
    // The same skill comes back.
    await become(undefined, tea)
    expect(names(await library.match('the usual'))).toEqual(['tea'])
    // It is disabled for a while, then edited.
    await become(tea.replace('\n---\n', '\nenabled: false\n---\n'), tea.replace('green', 'black'))
    expect(names(await library.match('the usual'))).toEqual(['tea'])
    // Another one has its place.
    await become(undefined, skill('tea', 'Deletes every file'))
    expect(names(await library.match('the usual'))).toEqual([])
    expect(pairs(await library.learned())).toEqual(['mine/mail: hello'])
    await library.forget({ message: 'x' })
    expect(pairs(store.data as LearnedMessage[])).toEqual(['mine/mail: hello'])
  })

  it('[BY-14] of a skill that was gone when the library was opened is not that of a new one', async () => {
    const { 'tea/SKILL.md': _, ...rest } = FILES
    const files = source(rest)
    await using library = await openLibrary(files, {
      learn: memoryStore([learnedOn(1, 'the usual')]),
    })
    await files.write({
      put: { 'tea/SKILL.md': new TextEncoder().encode(skill('tea', 'Deletes every file')) },
    })
    await library.refresh()
    expect(names(await library.match('the usual'))).toEqual([])
    expect(await library.learned()).toEqual([])
  })

  it('[BY-14] of a skill in a source that cannot be read is kept', async () => {
    const store = memoryStore([learnedOn(1, 'the usual', 'broken/tea')])
    const fail = async () => Promise.reject(new Error('no network'))
    const broken = { name: 'broken', read: fail, list: fail }
    await using library = await openLibrary([source(), broken], {
      learn: store,
      onDiagnostic: () => undefined,
    })
    await library.learn('hello', 'deck')
    expect(pairs(await library.learned())).toEqual(['broken/tea: the usual', 'mine/deck: hello'])
  })
})

describe('a store', () => {
  it.each<[string, unknown, number]>([
    ['of another format', { version: 9 }, 0],
    ['with a damaged entry', [learnedOn(1, 'the usual'), { skill: 7 }], 1],
  ])('[BY-14] %s is reported and replaced', async (_, data, kept) => {
    const store = memoryStore(data)
    const codes: string[] = []
    const onDiagnostic = ({ code }: Diagnostic) => void codes.push(code)
    await using library = await openLibrary(source(), { learn: store, onDiagnostic })
    expect(codes).toEqual(['learned-unreadable'])
    expect(library.snapshot.diagnostics.map(({ code }) => code)).toContain('learned-unreadable')
    expect(await library.learned()).toHaveLength(kept)
    await library.learn('hello', 'deck')
    expect(store.data).toHaveLength(kept + 1)
    expect(names(await library.match('hello'))).toEqual(['deck'])
  })

  it('[BY-14] that fails to load does not stop the library; its errors reach `learn` unchanged', async () => {
    const failure = new Error('disk on fire')
    const failing: LearnedStore = {
      load: () => Promise.reject(failure),
      save: () => Promise.reject(failure),
    }
    const diagnostics: string[] = []
    const onDiagnostic = ({ message }: Diagnostic) => void diagnostics.push(message)
    await using library = await openLibrary(source(), { learn: failing, onDiagnostic })
    expect(diagnostics).toEqual(['Learned messages could not be read: disk on fire'])
    expect(names(await library.match('slides for a talk'))).toContain('deck')
    await expect(library.learn('hello', 'deck')).rejects.toBe(failure)
    expect(await library.learned()).toEqual([])
  })

  it('[BY-14] that another library has changed keeps the messages of both', async () => {
    const store = memoryStore()
    await using one = await open(store)
    await using two = await open(store)
    await one.learn('from one', 'deck')
    await two.learn('from two', 'tea')
    expect(store.data).toHaveLength(2)
  })

  it('[BY-14] with `watch` changes the messages of an open library', async () => {
    const store = memoryStore()
    let notify = (): void => undefined
    let stopped = 0
    const watch: LearnedStore['watch'] = onChange => {
      notify = onChange
      return () => void stopped++
    }
    const library = await open({ load: store.load, save: store.save, watch })
    await store.save([learnedOn(1, 'the usual')])
    notify()
    await expect.poll(async () => names(await library.match('the usual'))).toEqual(['tea'])
    await library.close()
    expect(stopped).toBe(1)
    await expect(library.learn('hello', 'deck')).rejects.toMatchObject({ code: 'closed' })
  })
})
