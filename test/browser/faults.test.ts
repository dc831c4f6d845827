import { proxy, type Remote, wrap } from 'comlink'
import { describe, expect, it } from 'vitest'
import { openLibrary, type SkillSource } from '../../src/exports/index.js'
import { indexedDb, type ReadResult } from '../../src/exports/sources.js'
import { readCatalog } from '../../src/library/catalog/packed-catalog.js'
import { readPackedDetails } from '../../src/library/catalog/packed-details.js'
import { packedFiles } from '../../src/library/catalog/packed-files.js'
import { CATALOG_FILE } from '../../src/source/catalog-file.js'
import { skill } from '../skill-file.js'
import type { FaultsRealm } from './faults-realm.js'
import { atEnd, newName, tabOf } from './indexeddb-helpers.js'

/** One skill whose files all name the same version. */
const versionOf = (word: string): Record<string, string> => ({
  'pdf/SKILL.md': skill('pdf', `${word}.`),
  'pdf/which.txt': word,
  [`pdf/only-${word}.md`]: word,
  ...Object.fromEntries(
    Array.from({ length: 20 }, (_, at) => [`pdf/references/${at}.md`, `${word} ${at}`]),
  ),
})

function opened(database: string) {
  const store = indexedDb(database)
  atEnd(() => store.close())
  return store
}

function worker(): { realm: Remote<FaultsRealm>; kill(): void } {
  const made = new Worker(new URL('./faults-realm.ts', import.meta.url), { type: 'module' })
  atEnd(() => made.terminate())
  return { realm: wrap<FaultsRealm>(made), kill: () => made.terminate() }
}

/** Another page of the same origin. */
async function tab(): Promise<{ realm: Remote<FaultsRealm>; kill(): void }> {
  const { realm, close } = await tabOf<FaultsRealm>(new URL('./faults-realm.ts', import.meta.url))
  return { realm, kill: close }
}

/** Expects exactly the files that the catalog and its skills name. */
async function settled(source: SkillSource): Promise<void> {
  const { bytes } = (await source.read(CATALOG_FILE)) as ReadResult
  const { skills, segments } = await readCatalog(bytes, CATALOG_FILE)
  const named = new Set([CATALOG_FILE, ...segments.map(({ file }) => file)])
  for (const entry of skills) {
    for (const path of packedFiles(entry, (await readPackedDetails(source, entry)).files))
      named.add(path)
  }
  expect(((await source.list?.()) ?? []).map(({ path }) => path).sort()).toEqual([...named].sort())
}

/** The version of the stored skill, after checking all of its files. */
async function wholeVersion(source: SkillSource): Promise<string> {
  const library = await openLibrary(source, { strict: true })
  const { description, file, files } = await library.get('pdf')
  const word = description.slice(0, -1)
  const paths = [file, ...files.map(({ path }) => path)].map(path => `pdf/${path}`)
  expect(paths.sort()).toEqual(Object.keys(versionOf(word)).sort())
  for (const [path, text] of Object.entries(versionOf(word)))
    expect((await library.read('pdf', path.slice(4))).text).toBe(text)
  return word
}

describe('several tabs', () => {
  it('[BY-6] three tabs and a worker install the same skill at once: one version is stored whole', async () => {
    const database = newName()
    const here = opened(database)
    const others = [(await tab()).realm, (await tab()).realm, worker().realm]
    for (const round of [1, 2, 3]) {
      const results = await Promise.all([
        here.install(versionOf(`here${round}`)),
        ...others.map((realm, at) => realm.install(database, versionOf(`other${at}${round}`))),
      ])
      // The first one adds it, the others replace it.
      expect(results.flatMap(({ added }) => added)).toEqual(round === 1 ? [`${database}/pdf`] : [])
      expect(results.flatMap(({ changed }) => changed)).toHaveLength(round === 1 ? 3 : 4)
      expect(await wholeVersion(here)).toMatch(new RegExp(`^(here|other\\d)${round}$`))
      await settled(here)
    }
  })

  it('[BY-6] tabs install, edit and remove at once without losing other changes', async () => {
    const database = newName()
    const here = opened(database)
    await here.install({ ...versionOf('first'), 'tea/SKILL.md': skill('tea') })
    const [a, b, c] = [(await tab()).realm, (await tab()).realm, worker().realm]
    await Promise.all([
      here.install(versionOf('here')),
      a.install(database, { 'a/SKILL.md': skill('a') }),
      b.remove(database, 'tea'),
      c.edit(database, 'pdf', { 'extra.md': 'extra' }),
      c.install(database, { 'c/SKILL.md': skill('c') }),
    ])
    await using library = await openLibrary(here)
    expect((await library.list()).map(({ name }) => name)).toEqual(['a', 'c', 'pdf'])
    expect((await library.read('pdf', 'which.txt')).text).toBe('here')
    await settled(here)
  })

  it.each(['tab', 'worker'] as const)(
    '[BY-6] a tab installs although a %s is closed during its own',
    async kind => {
      for (const first of [true, false]) {
        const database = newName()
        const here = opened(database)
        if (!first) await here.install(versionOf('before'))
        const { realm, kill } = kind === 'tab' ? await tab() : worker()
        const wrote = new Promise<void>(resolve => {
          // WebKit lets a closed page answer that its lock was aborted.
          realm.install(database, versionOf('killed'), proxy(resolve)).catch(() => undefined)
        })
        const installing = wrote.then(() => here.install(versionOf('here')))
        await wrote
        kill()
        await installing
        expect(await wholeVersion(here)).toBe('here')
        await settled(here)
      }
    },
  )
})

describe('IndexedDB', () => {
  it('[BY-9] store distinguishes skills and files by case and Unicode form', async () => {
    const folders = ['Tea', 'tea', 'caf\u00e9', 'cafe\u0301', 'ｔｅａ']
    const files = ['X.md', 'x.md', '\u00fc.md', 'u\u0308.md']
    const tree = Object.fromEntries(
      folders.flatMap(at => [
        [`${at}/SKILL.md`, skill(at)],
        ...files.map(file => [`${at}/${file}`, `${at} ${file}`]),
      ]),
    )
    const database = newName()
    await opened(database).install(tree)
    await using library = await openLibrary(opened(database))
    expect((await library.list()).map(({ path }) => path).sort()).toEqual([...folders].sort())
    for (const at of folders) {
      for (const file of files)
        expect((await library.read(`${database}/${at}`, file)).text).toBe(`${at} ${file}`)
    }
    await expect(library.get('TEA')).rejects.toMatchObject({ code: 'ambiguous-name' })
    // Also from a source that keeps such names.
    const plain = opened(newName())
    await plain.write({ put: tree })
    expect(((await plain.list?.()) ?? []).map(({ path }) => path).sort()).toEqual(
      Object.keys(tree).sort(),
    )
  })
})
