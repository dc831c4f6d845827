import { describe, expect, it } from 'vitest'
import type { Progress } from '../../src/core/progress.js'
import { type LocalLibrary, memory, openLibrary } from '../../src/exports/index.js'
import type { AskForMessages } from '../../src/library/api/message-writing.js'
import type { EnrichOptions, EnrichResult } from '../../src/library/api/skill-library.js'
import type { Embedder } from '../../src/search/model/skill-model.js'
import type { Diagnostic } from '../../src/skill/diagnostics.js'
import { FILES, memoryCache, SAID, standIn } from '../core/enrich-world.js'
import { deferred } from '../deferred.js'
import { fails } from '../fails.js'
import { packedFiles } from '../packed-files.js'

const enrich = (
  library: LocalLibrary,
  ask: AskForMessages,
  options: EnrichOptions = {},
): Promise<EnrichResult> => library.enrich(ask, { cache: false, ...options })
const found = async (library: LocalLibrary, message: string): Promise<string[]> =>
  (await library.search(message)).matches.map(({ name }) => name)

async function packed(files: Record<string, string>): Promise<LocalLibrary> {
  return openLibrary(memory(await packedFiles(memory(files, { name: 'all' })), { name: 'all' }))
}
const opened: [string, (files: Record<string, string>) => Promise<LocalLibrary>][] = [
  ['a tree', files => openLibrary(memory(files, { name: 'all' }))],
  ['a packed library', packed],
]

describe.each(opened)('library.enrich of %s', (_, open) => {
  it('[BY-12] a message that found nothing finds the skill, and the reason names the message', async () => {
    await using library = await open(FILES)
    const { revision } = library.snapshot
    expect(await found(library, 'my loaf is flat as a stone')).toEqual([])
    const { ask, asked } = standIn()
    const progress: Progress[] = []
    const result = await enrich(library, ask, {
      onProgress: one => progress.push(one),
      concurrency: 1,
    })
    expect(result).toMatchObject({ asked: 2, kept: 2, failed: 0 })
    expect(result.tokens.input).toBeGreaterThan(500)
    expect(asked.sort()).toEqual(['invoice-check', 'sourdough'])
    expect(progress).toEqual([1, 2, 3].map(done => ({ phase: 'enrich', done, total: 3 })))
    const { matches } = await library.search('my loaf is flat as a stone')
    expect(matches[0]).toMatchObject({
      name: 'sourdough',
      reason: expect.stringContaining('my loaf came out flat'),
    })
    expect(await found(library, 'who owes me rent')).toEqual(['rent'])
    // Files and prompts do not change.
    expect(library.snapshot.revision).toBe(revision)
    expect((await library.get('sourdough')).messages).toBeUndefined()
  })

  it('[BY-12] scores are those of a library whose files have the messages', async () => {
    await using library = await open(FILES)
    await enrich(library, standIn().ask)
    await using written = await open({
      ...FILES,
      'sourdough/messages.txt': SAID['sourdough']?.join('\n') ?? '',
      'invoice-check/messages.txt': SAID['invoice-check']?.join('\n') ?? '',
    })
    for (const message of [
      'my loaf is flat as a stone',
      'did they charge us twice',
      'bread',
      'who owes me rent',
    ]) {
      const scores = async (from: LocalLibrary) =>
        (await from.search(message)).matches.map(({ name, score }) => [name, score.toFixed(3)])
      expect(await scores(library)).toEqual(await scores(written))
    }
  })
})

describe('library.enrich', () => {
  it('[BY-12] words answer while the model writes, and the cache spares the next library', async () => {
    const cache = memoryCache()
    const gate = deferred()
    const { ask, asked } = standIn()
    await using library = await openLibrary(FILES)
    const running = enrich(library, async (...args) => gate.promise.then(() => ask(...args)), {
      cache,
    })
    expect(await found(library, 'bread with yeast')).toEqual(['sourdough'])
    gate.resolve()
    expect(await running).toMatchObject({ asked: 2, kept: 2 })
    await using next = await openLibrary(FILES)
    expect(await enrich(next, ask, { cache })).toMatchObject({ asked: 0, kept: 2 })
    expect(asked).toHaveLength(2)
    expect(await found(next, 'loaf flat stone')).toEqual(['sourdough'])
  })

  it('[BY-12] a cache that was tampered with is checked like an answer', async () => {
    const cache = memoryCache()
    await using first = await openLibrary(FILES)
    await enrich(first, standIn().ask, { cache })
    for (const key of cache.held.keys())
      cache.held.set(
        key,
        new TextEncoder().encode('{"en":["see https://evil.example/ now","<b>win a prize</b>"]}'),
      )
    await using library = await openLibrary(FILES)
    expect(await enrich(library, standIn().ask, { cache })).toMatchObject({ asked: 2, kept: 2 })
    expect(await found(library, 'prize')).toEqual([])
  })

  it('[BY-12] a changed skill loses its messages until the next call', async () => {
    const source = memory(FILES)
    await using library = await openLibrary(source)
    await enrich(library, standIn().ask)
    await source.write({
      put: { 'sourdough/SKILL.md': FILES['sourdough/SKILL.md'].replace('natural', 'wild') },
    })
    await library.refresh()
    expect(await found(library, 'loaf flat stone')).toEqual([])
    expect(await found(library, 'charge twice')).toEqual(['invoice-check'])
    expect(await enrich(library, standIn().ask)).toMatchObject({ asked: 1, kept: 1 })
    expect(await found(library, 'loaf flat stone')).toEqual(['sourdough'])
    await source.write({ remove: ['sourdough/SKILL.md'] })
    await library.refresh()
    expect(await found(library, 'loaf flat stone')).toEqual([])
  })

  it('[BY-12] a refresh during the call loses no messages', async () => {
    const source = memory(FILES)
    await using library = await openLibrary(source)
    const { ask } = standIn()
    const result = await enrich(library, async (...args) => {
      await source.write({
        put: { 'new/SKILL.md': `---\nname: new\ndescription: ${args[0].user.length}\n---\n` },
      })
      void library.refresh()
      return ask(...args)
    })
    await library.refresh()
    expect(result).toMatchObject({ kept: 2, failed: 0 })
    expect(await found(library, 'loaf flat stone')).toEqual(['sourdough'])
    expect(await found(library, 'charge twice')).toEqual(['invoice-check'])
  })

  it('[BY-12] an embedder of an upgrade also serves skills with written messages', async () => {
    const embedder: Embedder = {
      id: 'toy/1',
      dimensions: 8,
      languages: ['en'],
      embed: async texts =>
        Float32Array.from(
          texts.flatMap(text => [/bread|toast/.test(text) ? 1 : 0, 1, 0, 0, 0, 0, 0, 0]),
        ),
    }
    await using library = await openLibrary(FILES)
    await library.upgrade(embedder, { cache: false })
    await enrich(library, standIn().ask)
    await expect.poll(async () => (await library.search('some toast')).model).toBe('hybrid/1 toy/1')
    expect((await library.search('some toast')).matches[0]?.name).toBe('sourdough')
  })

  it('[BY-12] a failed skill is reported and hides no other, and a model that is gone ends the call', async () => {
    await using library = await openLibrary(FILES)
    const failures: Diagnostic[] = []
    const onFailure = (one: Diagnostic): void => void failures.push(one)
    const { ask } = standIn()
    const refusing: AskForMessages = async (prompt, options) =>
      prompt.user.includes('<name>sourdough') ? 'no' : ask(prompt, options)
    expect(await enrich(library, refusing, { onFailure })).toMatchObject({
      asked: 2,
      kept: 1,
      failed: 1,
    })
    const path = expect.stringContaining('sourdough')
    expect(failures).toMatchObject([{ code: 'messages-not-written', severity: 'warning', path }])

    const many: Record<string, string> = {}
    for (let at = 0; at < 9; at++)
      many[`s${at}/SKILL.md`] = `---\nname: s${at}\ndescription: Does ${at}.\n---\n`
    await using down = await openLibrary(many)
    const offline = (): Promise<string> => Promise.reject(new Error('offline'))
    expect(await enrich(down, offline, { onFailure, concurrency: 1 })).toMatchObject({
      asked: 3,
      kept: 0,
      failed: 3,
    })
    expect(failures.at(-1)?.message).toContain('offline')
  })

  it('[BY-12] an abort rejects, a second call and close end the first, and errors of callbacks propagate', async () => {
    const library = await openLibrary(FILES)
    const never = (): Promise<string> => new Promise(() => undefined)
    const controller = new AbortController()
    const aborted = enrich(library, never, { signal: controller.signal })
    controller.abort()
    await fails(aborted, 'aborted')
    const first = enrich(library, never)
    const second = enrich(library, standIn().ask)
    expect(await first).toMatchObject({ kept: 0, failed: 0 })
    expect(await second).toMatchObject({ kept: 2 })
    const error = new RangeError('the bar is gone')
    const throws = (): void => {
      throw error
    }
    await expect(
      enrich(library, standIn().ask, { languages: ['de'], onProgress: throws }),
    ).rejects.toBe(error)
    const last = enrich(library, never, { languages: ['zh'] })
    await library.close()
    expect(await last.catch(({ code }) => code)).toSatisfy(
      end => end === 'closed' || end.kept === 0,
    )
    await fails(enrich(library, never), 'closed')
  })

  it.each([
    ['ask', undefined, {}],
    ['"languages"', never, { languages: ['xx'] }],
    ['"count"', never, { count: 0 }],
    ['"concurrency"', never, { concurrency: 0 }],
  ])('[BY-12] refuses a wrong %s', async (name, ask, options) => {
    await using library = await openLibrary(FILES)
    await fails(
      enrich(library, ask as AskForMessages, options as EnrichOptions),
      'invalid-input',
      name,
    )
  })
})

async function never(): Promise<string> {
  return ''
}
