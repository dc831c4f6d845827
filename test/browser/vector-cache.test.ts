import { afterEach, expect, it, vi } from 'vitest'
import { type Embedder, openLibrary } from '../../src/exports/index.js'
import { vectorCache } from '../../src/search/model/vector-cache.js'

const FILES = {
  'ppt/SKILL.md': '---\nname: ppt\ndescription: Makes a deck\n---\n',
  'sql/SKILL.md': '---\nname: sql\ndescription: Writes queries\n---\n',
}

/** A toy: the length of a text is its meaning. */
function toy(id: string): Embedder & { read: string[] } {
  const read: string[] = []
  return {
    id,
    dimensions: 8,
    languages: 'all',
    read,
    async embed(texts, { kind } = {}) {
      if (kind === 'document') read.push(...texts)
      return Float32Array.from(
        texts.flatMap(({ length }) => [Math.cos(length), Math.sin(length), 0, 0, 0, 0, 0, 0]),
      )
    },
  }
}

afterEach(() => vi.restoreAllMocks())

it('stores bytes by key, and returns undefined for a missing key', async () => {
  const cache = vectorCache('test-vectors')
  await cache.put([
    ['a', Uint8Array.of(1, 2)],
    ['b', Uint8Array.of(3)],
  ])
  const found = await vectorCache('test-vectors').get(['b', 'none', 'a'])
  expect(found).toEqual([Uint8Array.of(3), undefined, Uint8Array.of(1, 2)])
})

it('[BY-1] embeds nothing on a second visit, one text for a changed skill, and all for another model', async () => {
  const id = `toy/${crypto.randomUUID()}`
  const visit = async (files: Record<string, string>, model = toy(id)): Promise<string[]> => {
    await using library = await openLibrary(files)
    expect(await library.upgrade(model)).toBe(true)
    expect((await library.search('deck')).model).toBe(`hybrid/1 ${model.id}`)
    return model.read
  }
  expect(await visit(FILES)).toHaveLength(2)
  expect(await visit(FILES)).toEqual([])
  const changed = '---\nname: sql\ndescription: Asks databases\n---\n'
  expect(await visit({ ...FILES, 'sql/SKILL.md': changed })).toEqual(['sql. Asks databases'])
  expect(await visit(FILES, toy(`${id}/other`))).toHaveLength(2)
})

it('[BY-1] continues without storage if it is denied', async () => {
  const open = vi.spyOn(indexedDB, 'open').mockImplementation(() => {
    throw new DOMException('denied', 'SecurityError')
  })
  await using library = await openLibrary(FILES)
  expect(await library.upgrade(toy('toy/forbidden'))).toBe(true)
  expect(open).toHaveBeenCalled()
  expect((await library.search('deck')).model).toBe('hybrid/1 toy/forbidden')
})
