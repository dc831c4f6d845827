import { expect, it } from 'vitest'
import { openLibrary } from '../../src/exports/index.js'
import { bundled } from '../../src/search/model/bundled/workerd.js'

const FILES = {
  'book-flight/SKILL.md': '---\nname: book-flight\ndescription: Book an airline ticket\n---\n',
  'sql/SKILL.md': '---\nname: sql\ndescription: Write database queries\n---\n',
}

it('[BY-1] the bundled model matches by meaning in a Worker', async () => {
  await using library = await openLibrary(FILES, { embedder: bundled() })
  const { matches } = await library.search('我想订机票')
  expect(matches[0]?.name).toBe('book-flight')
  expect(matches[0]?.reason).toBe('close in meaning')
})
