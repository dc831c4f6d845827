import { beforeEach, describe, expect, it } from 'vitest'
import { archive } from '../../src/exports/archive.js'
import { cached, memory, openLibrary, pack, type SkillSource, skillStore } from '../../src/exports/index.js'
import type { FetchableSource } from '../../src/source/types.js'
import { INDEX_V1, INDEX_V2 } from '../../src/source/well-known/index-paths.js'
import { streamOf, tarOf } from './archive-world.js'
import { archiveOf, entryOf, hostOf, indexV2, siteV1, skill } from './site-world.js'

/** The caller's own: nobody else knows of it. */
let mine: RangeError
const fails = (): never => {
  throw mine
}

const TREE = { 'a/SKILL.md': skill('a'), 'a/x.md': 'x', 'b/SKILL.md': skill('b') }

type Files = Record<string, Uint8Array<ArrayBuffer> | string>

async function packed(files: Files): Promise<Files> {
  const made: Files = {}
  for await (const { path, bytes } of pack(memory(files))) made[path] = bytes
  return made
}

beforeEach(() => {
  mine = new RangeError('the bar is gone')
})

describe('a callback of the caller that throws', () => {
  it('[CARD-1] is no failure of the network: http asks once, and throws what it threw', async () => {
    const host = hostOf({ '/a.md': 'text' })
    await expect(host.at('', { maxRetries: 2, onProgress: fails }).read('a.md')).rejects.toBe(mine)
    expect(host.asked).toEqual(['/a.md'])
  })

  it('[CARD-1] is no failure of an archive, in the middle of it neither', async () => {
    for (const format of ['zip', 'tar.gz'] as const)
      await expect(archive(await archiveOf(TREE, format), { onProgress: fails }).list?.()).rejects.toBe(mine)
    const long = tarOf([{ name: 'a/SKILL.md', content: new Uint8Array(200_000) }])
    for (const late of [1, 2, 3]) {
      mine = new RangeError('the bar is gone')
      let told = 0
      const onProgress = () => ++told === late && fails()
      await expect(archive(long, { onProgress }).list?.()).rejects.toBe(mine)
    }
    await expect(archive(streamOf(long).stream, { onProgress: fails }).list?.()).rejects.toBe(mine)
  })

  it.each([
    ['a tree', async (files: Files) => files],
    ['a packed library', packed],
  ])('[CARD-1] ends the opening and the refresh of %s, and is thrown as it is', async (_, layout) => {
    const source = memory(await layout(TREE))
    for (const strict of [false, true])
      await expect(openLibrary(source, { strict, onProgress: fails })).rejects.toBe(mine)
    let told = (): void => undefined
    await using library = await openLibrary(source, { onProgress: () => told() })
    await source.write({ put: await layout({ ...TREE, 'c/SKILL.md': skill('c') }) })
    const { snapshot } = library
    told = fails
    await expect(library.refresh()).rejects.toBe(mine)
    expect(library.snapshot).toBe(snapshot)
    told = () => undefined
    expect((await library.refresh()).added).toEqual(['memory/c'])
  })

  it.each([
    ['the index of a site', INDEX_V2],
    ['a skill of a site', '/SKILL.md'],
  ])('[CARD-1] ends the opening at an address whose source tells of %s', async (_, end) => {
    const host = hostOf({
      ...siteV1({ 'old/SKILL.md': skill('old') }),
      ...(end === INDEX_V2 ? indexV2(entryOf('new', 'skill-md', '/new.md', skill('new'))) : {}),
    })
    const source = host.at('', { onProgress: ({ item }) => void (item?.endsWith(end) && fails()) })
    await expect(openLibrary(source)).rejects.toBe(mine)
    expect(host.asked).not.toContain('/new.md')
    expect(end === INDEX_V2 || host.asked.includes(`/${INDEX_V1}`)).toBe(true)
  })

  it('[CARD-1] ends the opening of a skill whose archive it tells of', async () => {
    const zip = await archiveOf({ 'SKILL.md': skill('new') })
    const host = hostOf({ ...indexV2(entryOf('new', 'archive', '/new.zip', zip)), '/new.zip': zip })
    const source: FetchableSource = host.at('', { onProgress: ({ item }) => void (item?.endsWith('.zip') && fails()) })
    await using library = await openLibrary(source)
    await expect(library.get('new')).rejects.toBe(mine)
    await expect(openLibrary(cached(source, memory()))).rejects.toBe(mine)
  })

  it('[BY-6] ends an offline copy, and the next look makes it', async () => {
    const tree = memory(TREE, { name: 'tree' })
    const files = await packed(TREE)
    const library: SkillSource = { name: 'packed', read: async (...of) => memory(files).read(...of) }
    for (const [source, whole] of [
      [tree, false],
      [library, true],
    ] as const) {
      const store = memory()
      await expect(openLibrary(cached(source, store, { whole, onProgress: fails }))).rejects.toBe(mine)
      await using again = await openLibrary(cached(source, store, { whole }))
      expect((await again.read('a', 'x.md')).text).toBe('x')
    }
  })

  it('[BY-6] ends an installation, and nothing is installed', async () => {
    const store = skillStore(memory())
    await expect(store.install(TREE, { onProgress: fails })).rejects.toBe(mine)
    await expect(store.install(memory(await packed(TREE)), { onProgress: fails })).rejects.toBe(mine)
    expect(await store.list?.()).toEqual([])
  })
})
