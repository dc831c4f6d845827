import { expect, it, vi } from 'vitest'
import { openLibrary } from '../../src/exports/index.js'
import { answer, atEnd, newName, rawOpen, tabOf } from './indexeddb-helpers.js'
import { openLearning } from './learning-library.js'
import type { LearningRealm } from './learning-realm.js'

const realmScript = new URL('./learning-realm.ts', import.meta.url)
const FILES = { 'deck/SKILL.md': '---\nname: deck\ndescription: Makes slides for a talk\n---\n' }

it('[BY-14] `learn: true` keeps messages in IndexedDB for the next visit', async () => {
  atEnd(() => indexedDB.deleteDatabase('skillshelf-learned'))
  {
    await using library = await openLibrary(FILES, { learn: true })
    await library.learn('the usual for Monday', 'deck')
  }
  await using library = await openLibrary(FILES, { learn: true })
  expect((await library.match('the usual for Monday')).matches.map(({ name }) => name)).toEqual([
    'deck',
  ])
  await library.forget({ all: true })
})

it('[BY-14] two tabs that learn at the same time keep the messages of both', async () => {
  const database = newName()
  const tabs = [await tabOf<LearningRealm>(realmScript), await tabOf<LearningRealm>(realmScript)]
  const messages = (tab: number) =>
    Array.from({ length: 8 }, (_, number) => `message ${number} of tab ${tab}`)
  await Promise.all(
    tabs.map(({ realm }, tab) => realm.learn(database, messages(tab), tab === 0 ? 'deck' : 'tea')),
  )
  await using library = await openLearning(database)
  const kept = (await library.learned()).map(({ message }) => message)
  expect(kept.sort()).toEqual([...messages(0), ...messages(1)].sort())
})

it('[BY-14] an open tab finds what another tab learns, and forgets what it forgets', async () => {
  const database = newName()
  const { realm } = await tabOf<LearningRealm>(realmScript)
  await realm.open(database)
  await using library = await openLearning(database)
  await library.learn('the usual', 'tea')
  await expect.poll(() => realm.match(database, 'the usual')).toEqual(['tea'])
  expect(await realm.forgetAll(database)).toBe(1)
  await expect.poll(() => library.learned()).toEqual([])
})

it('[BY-14] damaged data in the database is reported and replaced', async () => {
  const database = newName()
  {
    await using library = await openLearning(database)
    await library.learn('the usual', 'deck')
  }
  const db = await rawOpen(database)
  const [store = ''] = db.objectStoreNames
  await answer(db.transaction(store, 'readwrite').objectStore(store).put('damaged', 'messages'))
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
  await using library = await openLearning(database)
  expect(warn.mock.calls.join()).toContain('Learned messages could not be read')
  await library.learn('hello', 'deck')
  expect(await answer(db.transaction(store).objectStore(store).get('messages'))).toMatchObject([
    { message: 'hello' },
  ])
})

it('[BY-14] a page that may not store data opens the library, and `learn` says why it fails', async () => {
  vi.spyOn(indexedDB, 'open').mockImplementation(() => {
    throw new DOMException('denied', 'SecurityError')
  })
  const diagnostics: string[] = []
  const onDiagnostic = ({ code }: { code: string }) => void diagnostics.push(code)
  await using library = await openLibrary(FILES, { learn: true, onDiagnostic })
  expect(diagnostics).toEqual(['learned-unreadable'])
  expect((await library.match('make slides for a talk')).matches).toHaveLength(1)
  await expect(library.learn('hello', 'deck')).rejects.toMatchObject({ code: 'unsupported' })
})
