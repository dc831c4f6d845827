import { expect, it, vi } from 'vitest'
import { bundled } from '../../src/exports/model.js'
import { createBundled } from '../../src/search/model/bundled/bundled.js'
import { readAsset } from '../../src/search/model/bundled/worker-assets.js'
import type { Part } from '../../src/search/model/script-parts.js'

const skill = (name: string, description: string) =>
  `---\nname: ${name}\ndescription: ${description}\n---\n`
const FILES = {
  'book-flight/SKILL.md': skill('book-flight', 'Book an airline ticket'),
  'sql/SKILL.md': skill('sql', 'Write database queries'),
}

it.each([
  '我想订机票',
  '航空券を予約したい',
  '비행기표를 예약하고 싶어요',
  'хочу купить билет на самолёт',
  'ich möchte einen Flug nach Lissabon buchen',
  'quero reservar um voo para amanhã',
])(
  '[BY-1] [BY-24] a Worker reads the part of the model that a message needs from its static assets: %s',
  async message => {
    // Other files of this isolate have loaded modules that know their own `defaultModel`.
    vi.resetModules()
    const { defaultModel } = await import('../../src/library/model/default-model.js')
    vi.mocked(defaultModel).mockReturnValue('opens')
    const { openLibrary } = await import('../../src/exports/index.js')
    await using library = await openLibrary(FILES)
    const { matches, complete } = await library.search(message)
    expect(matches[0]).toMatchObject({ name: 'book-flight', reason: 'close in meaning' })
    expect(complete).toBe(true)
  },
)

it('[BY-24] a part that one request reads does not hold up another one', async () => {
  const read: Part[] = []
  const load = createBundled({
    readPart(part) {
      read.push(part)
      return read.length === 2 ? new Promise(() => {}) : readAsset(`${part}.bin`)
    },
  })
  const [first, second] = [await load(), await load()]
  void first.prepare?.('비행기표')
  await second.prepare?.('비행기표')
  expect(read).toEqual(['latin', 'hangul', 'hangul'])
  expect(second.vectorOf('비행기표')).toEqual(
    (await bundled({ parts: 'all' })).vectorOf('비행기표'),
  )
})

it.each(['Draft a termination letter', '我想订机票', 'ich möchte einen Flug nach Lissabon buchen'])(
  '[BY-34] a Worker reads the rows of a message from its static assets: %s',
  async message => {
    const read: string[] = []
    const load = createBundled({
      readPart: () => Promise.reject(new Error('not a part')),
      async readRows(name) {
        const bytes = await readAsset(`rows/${name}`)
        read.push(name)
        return bytes
      },
    })
    const model = await load()
    await model.prepare?.(message)
    expect(model.vectorOf(message)).toEqual((await bundled({ parts: 'all' })).vectorOf(message))
    expect(read.length).toBeLessThan(20)
  },
)
