import { deleteDB } from 'idb'
import { expect, it } from 'vitest'
import { openLibrary } from '../../src/exports/index.js'
import { FILES, standIn } from '../core/enrich-world.js'

it('[BY-12] a page keeps written messages in IndexedDB, and the next visit asks for none', async () => {
  await deleteDB('skillshelf-messages')
  const { ask, asked } = standIn()
  {
    await using library = await openLibrary(FILES)
    expect((await library.search('loaf flat stone')).matches).toEqual([])
    expect(await library.enrich(ask)).toMatchObject({ asked: 2, kept: 2, failed: 0 })
    expect((await library.search('loaf flat stone')).matches[0]?.name).toBe('sourdough')
  }
  await using library = await openLibrary(FILES)
  expect(await library.enrich(ask)).toMatchObject({ asked: 0, kept: 2, failed: 0 })
  expect((await library.search('loaf flat stone')).matches[0]?.name).toBe('sourdough')
  expect(asked).toHaveLength(2)
  // Other languages are other messages.
  expect(
    await library.enrich(ask, { languages: ['en', 'de'], onFailure: () => undefined }),
  ).toMatchObject({ asked: 2 })
})
