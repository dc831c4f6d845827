import { beforeEach, describe, expect, it } from 'vitest'
import { cached, memory, openLibrary, type SkillSource } from '../../src/exports/index.js'
import { archive, type FetchableSource } from '../../src/exports/sources.js'
import { skillStore } from '../../src/exports/store.js'
import { INDEX_V1, INDEX_V2 } from '../../src/source/well-known/site-paths.js'
import { streamOf, tarOf } from '../core/archive-world.js'
import { archiveOf, entryOf, hostOf, indexV2, siteV1, skill } from '../core/site-world.js'
import { packedFiles } from '../packed-files.js'

let callbackError: RangeError
const fails = (): never => {
  throw callbackError
}

const TREE = { 'a/SKILL.md': skill('a'), 'a/x.md': 'x', 'b/SKILL.md': skill('b') }

type Files = Record<string, Uint8Array<ArrayBuffer> | string>

const packed = (files: Files) => packedFiles(memory(files))

beforeEach(() => {
  callbackError = new RangeError('progress bar failed')
})

describe('a callback that throws', () => {
  it('[CARD-1] http sends one request and rejects with the error of the callback', async () => {
    const host = hostOf({ '/a.md': 'text' })
    await expect(host.at('', { maxRetries: 2, onProgress: fails }).read('a.md')).rejects.toBe(
      callbackError,
    )
    expect(host.requested).toEqual(['/a.md'])
  })

  it('[CARD-1] archive rejects with the error of the callback at every step', async () => {
    for (const format of ['zip', 'tar.gz'] as const)
      await expect(
        archive(await archiveOf(TREE, format), { onProgress: fails }).list?.(),
      ).rejects.toBe(callbackError)
    const long = tarOf([{ name: 'a/SKILL.md', content: new Uint8Array(200_000) }])
    for (const late of [1, 2, 3]) {
      callbackError = new RangeError('progress bar failed')
      let calls = 0
      const onProgress = () => ++calls === late && fails()
      await expect(archive(long, { onProgress }).list?.()).rejects.toBe(callbackError)
    }
    await expect(archive(streamOf(long).stream, { onProgress: fails }).list?.()).rejects.toBe(
      callbackError,
    )
  })

  it.each([
    ['a tree', async (files: Files) => files],
    ['a packed library', packed],
  ])(
    '[CARD-1] openLibrary and refresh of %s reject with the error of the callback',
    async (_, layout) => {
      const source = memory(await layout(TREE))
      for (const strict of [false, true])
        await expect(openLibrary(source, { strict, onProgress: fails })).rejects.toBe(callbackError)
      let onProgress = (): void => undefined
      await using library = await openLibrary(source, { onProgress: () => onProgress() })
      await source.write({ put: await layout({ ...TREE, 'c/SKILL.md': skill('c') }) })
      const { snapshot } = library
      onProgress = fails
      await expect(library.refresh()).rejects.toBe(callbackError)
      expect(library.snapshot).toBe(snapshot)
      onProgress = () => undefined
      expect((await library.refresh()).added).toEqual(['memory/c'])
    },
  )

  it.each([
    ['the index of a site', INDEX_V2],
    ['a skill of a site', '/SKILL.md'],
  ])('[CARD-1] openLibrary rejects with the error of the callback for %s', async (_, end) => {
    const host = hostOf({
      ...siteV1({ 'old/SKILL.md': skill('old') }),
      ...(end === INDEX_V2 ? indexV2(entryOf('new', 'skill-md', '/new.md', skill('new'))) : {}),
    })
    const source = host.at('', { onProgress: ({ item }) => void (item?.endsWith(end) && fails()) })
    await expect(openLibrary(source)).rejects.toBe(callbackError)
    expect(host.requested).not.toContain('/new.md')
    expect(end === INDEX_V2 || host.requested.includes(`/${INDEX_V1}`)).toBe(true)
  })

  it('[CARD-1] get rejects with the error of the callback for the archive of a skill', async () => {
    const zip = await archiveOf({ 'SKILL.md': skill('new') })
    const host = hostOf({ ...indexV2(entryOf('new', 'archive', '/new.zip', zip)), '/new.zip': zip })
    const source: FetchableSource = host.at('', {
      onProgress: ({ item }) => void (item?.endsWith('.zip') && fails()),
    })
    await using library = await openLibrary(source)
    await expect(library.get('new')).rejects.toBe(callbackError)
    await expect(openLibrary(cached(source, memory()))).rejects.toBe(callbackError)
  })

  it('[BY-6] an offline copy rejects with the error of the callback, and the next attempt succeeds', async () => {
    const tree = memory(TREE, { name: 'tree' })
    const files = await packed(TREE)
    const library: SkillSource = {
      name: 'packed',
      read: async (...of) => memory(files).read(...of),
    }
    for (const [source, whole] of [
      [tree, false],
      [library, true],
    ] as const) {
      const store = memory()
      await expect(openLibrary(cached(source, store, { whole, onProgress: fails }))).rejects.toBe(
        callbackError,
      )
      await using again = await openLibrary(cached(source, store, { whole }))
      expect((await again.read('a', 'x.md')).text).toBe('x')
    }
  })

  it('[BY-6] install rejects with the error of the callback and installs nothing', async () => {
    const store = skillStore(memory())
    await expect(store.install(TREE, { onProgress: fails })).rejects.toBe(callbackError)
    await expect(store.install(memory(await packed(TREE)), { onProgress: fails })).rejects.toBe(
      callbackError,
    )
    expect(await store.list?.()).toEqual([])
  })
})
