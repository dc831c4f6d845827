import { describe, expect, it } from 'vitest'
import { isShared } from '../../src/core/bytes.js'
import { cached, memory, openLibrary, type SkillSource } from '../../src/exports/index.js'
import { packedFiles } from '../packed-files.js'

const skill = (name: string): string =>
  `---\nname: ${name}\ndescription: Does ${name}.\n---\nHow to do ${name}.\n`
const tea = memory({ 'tea/SKILL.md': skill('tea') }, { name: 'friend' })
/** Short enough for a test, and each case waits for it at most once or twice. */
const timeout = 30
const never = (): Promise<never> => new Promise(() => undefined)

const files = Object.fromEntries(
  Array.from({ length: 200 }, (_, index) => [`s${index}/SKILL.md`, skill(`s${index}`)]),
)
const held = memory(files, { name: 'slow' })

describe('a source that never answers', () => {
  it.each<[string, SkillSource]>([
    ['without any answer', { name: 'slow', read: never, list: never }],
    ['whose listing never ends', { ...held, list: never }],
    [
      'that lists, but reads nothing',
      {
        ...held,
        read: path => (path === 'skillshelf.json' ? Promise.resolve(undefined) : never()),
      },
    ],
    ['behind an offline copy', cached({ name: 'slow', read: never, timeout }, memory())],
  ])('[AC-5] [CARD-1] %s is given up and hides no other', async (_, source) => {
    const options = { timeout, onDiagnostic: () => undefined }
    await using library = await openLibrary([source, tea], options)
    expect(library.snapshot.skills.map(({ id }) => id)).toEqual(['friend/tea'])
    expect(library.snapshot.diagnostics).toMatchObject([
      { severity: 'error', message: expect.stringMatching(/of slow was not read within 30 ms/) },
    ])
    await expect(openLibrary(source, { ...options, strict: true })).rejects.toMatchObject({
      code: 'source-failed',
    })
  })

  it('[AC-5] of which one file never arrives has the other skills', async () => {
    const source: SkillSource = {
      ...held,
      read: (path, options) => (path === 's7/SKILL.md' ? never() : held.read(path, options)),
    }
    await using library = await openLibrary(source, { timeout })
    expect(library.snapshot.skills).toHaveLength(199)
    expect(library.snapshot.diagnostics).toMatchObject([
      { code: 'skill-unreadable', path: 's7/SKILL.md' },
    ])
  })

  it('[AC-5] sees its signal abort, so that it can stop', async () => {
    const reasons: boolean[] = []
    const source: SkillSource = {
      name: 'slow',
      read: (_, { signal } = {}) => {
        signal?.addEventListener('abort', () => reasons.push(true))
        return never()
      },
    }
    await using library = await openLibrary([source, tea], {
      timeout,
      onDiagnostic: () => undefined,
    })
    expect([library.snapshot.diagnostics.map(({ code }) => code), reasons]).toEqual([
      ['source-unreadable'],
      [true],
    ])
  })

  it.each([0, -1, Number.NaN, '5'])('[CARD-1] refuses the timeout %s', async wrong => {
    await expect(openLibrary(tea, { timeout: wrong as number })).rejects.toMatchObject({
      code: 'invalid-input',
    })
  })
})

// Pages without cross-origin isolation have no shared memory.
describe.skipIf(typeof SharedArrayBuffer === 'undefined')('bytes in shared memory', () => {
  const shared = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => {
    const copy = new Uint8Array(new SharedArrayBuffer(bytes.length))
    copy.set(bytes)
    return copy as Uint8Array as Uint8Array<ArrayBuffer>
  }

  it('[CARD-1] of a source are copied', async () => {
    const packed = await packedFiles(tea)
    for (const inner of [tea, memory(packed, { name: 'friend' })]) {
      const source: SkillSource = {
        ...inner,
        async read(path, options) {
          const found = await inner.read(path, options)
          return typeof found === 'object' ? { ...found, bytes: shared(found.bytes) } : found
        },
      }
      await using library = await openLibrary(source, { strict: true })
      expect((await library.match('do tea', { threshold: 0 })).matches[0]?.id).toBe('friend/tea')
      const { bytes, text } = await library.read('tea', 'SKILL.md')
      expect([isShared(bytes), text]).toEqual([false, skill('tea')])
    }
  })
})
