import { expect, it } from 'vitest'
import { openLibrary } from '../../src/exports/index.js'
import { bundled } from '../../src/search/model/bundled/package.js'

const FILES = {
  'book-flight/SKILL.md': '---\nname: book-flight\ndescription: Book an airline ticket\n---\n',
  'sql/SKILL.md': '---\nname: sql\ndescription: Write database queries\n---\n',
}

it('[BY-1] the bundled model finds by meaning in a page and fetches only the parts a text needs', async () => {
  await using library = await openLibrary(FILES, { embedder: bundled() })
  const { matches } = await library.search('我想订机票')
  expect(matches[0]?.name).toBe('book-flight')
  expect(matches[0]?.reason).toBe('close in meaning')
  const fetched = performance.getEntriesByType('resource').map(({ name }) => name)
  expect(fetched.filter(name => /\/han\b[^/]*\.bin/.test(name))).toHaveLength(1)
})
