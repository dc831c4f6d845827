import { describe, expect, it } from 'vitest'
import { memory, openLibrary } from '../../src/exports/index.js'
import type { SkillSource } from '../../src/source/source.js'
import { memoryCache } from './enrich-world.js'
import {
  FILES,
  fileOf,
  packed,
  RIGHT,
  recorded,
  skill,
  upgrade,
  visit,
} from './packed-vectors-world.js'
import { toy } from './toy-embedder.js'

describe('packed vectors', () => {
  it('[BY-35] are used at once: of all skills, one is embedded to compare', async () => {
    const { files, read } = await packed()
    expect(read).toEqual([
      'accounts. Checks each bill.',
      'ppt. Makes a deck for talks',
      'a keynote please',
      'travel. Books an airline seat',
    ])
    const source = recorded(files)
    const { upgraded, embedded, found, problems } = await visit(source)
    expect([upgraded, embedded, problems]).toEqual([true, ['accounts. Checks each bill.'], []])
    expect(found).toEqual(RIGHT)
    expect(source.reads.filter(path => path === fileOf(files))).toHaveLength(1)
  })

  it('[BY-35] are not fetched by a library that loads no transformer', async () => {
    const source = recorded((await packed()).files)
    await using library = await openLibrary(source, { embedder: false })
    expect((await library.search('deck')).matches[0]?.name).toBe('ppt')
    expect(source.reads.filter(path => path.endsWith('.vec'))).toEqual([])
  })

  it('[BY-35] give the answers that vectors embedded there give', async () => {
    const { files } = await packed()
    for (const message of ['flight', 'a receipt for the keynote', 'bill']) {
      const answers = []
      for (const some of [files, FILES]) {
        const source = memory(some, { name: 'skills' })
        await using library = await openLibrary(source, { embedder: false })
        await upgrade(library, toy())
        answers.push((await library.search(message)).matches)
      }
      expect(answers[0]).toEqual(answers[1])
      expect(answers[0]?.length).toBeGreaterThan(0)
    }
  })

  it('[BY-35] of a layer are used, and changed skills of another are embedded', async () => {
    const { files } = await packed()
    const model = toy()
    const local = { 'travel/SKILL.md': skill('travel', 'Sells a ticket') }
    await using library = await openLibrary([local, memory(files, { name: 'skills' })], {
      embedder: false,
    })
    await upgrade(library, model)
    expect(model.read.document.sort()).toEqual([
      'accounts. Checks each bill.',
      'travel. Sells a ticket',
    ])
  })

  it('[BY-35] of a newer pack replace them in a library that is open', async () => {
    const first = await packed()
    const source = memory(first.files, { name: 'skills' })
    const model = toy()
    await using library = await openLibrary(source, { embedder: false })
    await upgrade(library, model)
    const next = { ...FILES, 'joke/SKILL.md': skill('joke', 'Tells of an invoice') }
    const second = await packed(next, { previous: source })
    expect(second.read).toEqual(['joke. Tells of an invoice'])
    await source.write({ put: second.files })
    await library.refresh()
    await expect
      .poll(async () => (await library.search('receipt')).matches.map(({ name }) => name).sort())
      .toEqual(['accounts', 'joke'])
    expect(new Set(model.read.document)).toEqual(new Set(['accounts. Checks each bill.']))
  })

  it('[BY-35] belong to texts: an instruction that changes keeps them, a description does not', async () => {
    const { files } = await packed()
    const bodies = { ...FILES, 'travel/SKILL.md': `${FILES['travel/SKILL.md']}\nAsk for dates.` }
    const previous = memory(files)
    expect((await packed(bodies, { previous })).read).toEqual([])
    const described = { ...FILES, 'travel/SKILL.md': skill('travel', 'Finds a ticket') }
    expect((await packed(described, { previous })).read).toEqual(['travel. Finds a ticket'])
    const again = await packed(FILES, { previous })
    expect(again).toEqual({ files, read: [] })
  })

  it('[BY-35] of a previous library that is damaged, gone or of another model are computed again', async () => {
    const { files } = await packed()
    const file = fileOf(files)
    const broken = Uint8Array.from(files[file] as Uint8Array)
    broken.fill(7, 40)
    const others: SkillSource[] = [
      memory({ ...files, [file]: broken }),
      memory({ ...files, 'skillshelf.json': '{"format":"skillshelf/1","dig' }),
      memory(Object.fromEntries(Object.entries(files).filter(([path]) => path !== file))),
      memory((await packed(FILES, { encoder: toy({ id: 'toy/0' }) })).files),
      memory({}),
    ]
    for (const previous of others) {
      const again = await packed(FILES, { previous })
      expect(again.read).toHaveLength(4)
      expect(again.files).toEqual(files)
    }
  })
})

it('[BY-35] vectors that were packed are not put into the cache of the page, which other libraries share', async () => {
  const { files } = await packed()
  const cache = memoryCache()
  await using library = await openLibrary(memory(files), { embedder: false })
  const model = toy()
  await upgrade(library, model, { cache })
  await using other = await openLibrary(FILES, { embedder: false })
  await upgrade(other, model, { cache })
  expect(model.read.document).toHaveLength(5)
})
