import { type Remote, windowEndpoint, wrap } from 'comlink'
import { afterEach, vi } from 'vitest'
import { type IndexedDbSource, indexedDbSource } from '../../src/source/indexeddb/indexeddb.js'
import type { SkillSource } from '../../src/source/source.js'
import { readText } from '../read-text.js'
import type { Realm } from './indexeddb-realm.js'

/** Cleanups of a test, run in reverse order. */
const endings: (() => unknown)[] = []
export const atEnd = (ending: () => unknown): void => void endings.push(ending)

afterEach(async () => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  for (const ending of endings.splice(0).reverse()) await ending()
})

/** The name of a database that is deleted with the test. */
export function newName(): string {
  const name = `test ${crypto.randomUUID()}`
  atEnd(() => indexedDB.deleteDatabase(name))
  return name
}

/** A source that is closed with the test. */
export function opened(database = newName()): IndexedDbSource {
  const source = indexedDbSource(database)
  atEnd(() => source.close())
  return source
}

/** Two sources over the same database. */
export function openedTwice() {
  const database = newName()
  return { database, source: opened(database), other: opened(database) }
}

/** Opens a database with the raw API. Without a version: the current one. */
export function rawOpen(
  name: string,
  version?: number,
  upgrade: (db: IDBDatabase) => void = () => {},
) {
  const request = indexedDB.open(name, version)
  request.onupgradeneeded = () => upgrade(request.result)
  return answer(request).then(db => {
    atEnd(() => db.close())
    return db
  })
}

export function answer<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

/** Every listed file with its text. */
export async function texts(source: SkillSource): Promise<Record<string, string | undefined>> {
  const files = (await source.list?.()) ?? []
  return Object.fromEntries(
    await Promise.all(files.map(async ({ path }) => [path, await readText(source, path)])),
  )
}

/** A worker of the same origin. */
export function worker(): Remote<Realm> {
  const made = new Worker(new URL('./indexeddb-realm.ts', import.meta.url), { type: 'module' })
  atEnd(() => made.terminate())
  return wrap<Realm>(made)
}

/** Another page of the same origin, and how to close it. */
export function tab(): Promise<{ realm: Remote<Realm>; close(): void }> {
  return tabOf<Realm>(new URL('./indexeddb-realm.ts', import.meta.url))
}

/** Resolves when the script of a frame says that it is ready. Call it before the frame loads. */
export function readiness(frame: HTMLIFrameElement): Promise<void> {
  return new Promise(resolve => {
    const hear = ({ source, data }: MessageEvent): void => {
      if (source !== frame.contentWindow || data !== 'ready') return
      removeEventListener('message', hear)
      resolve()
    }
    addEventListener('message', hear)
  })
}

/** The same with any script that posts `ready` to its parent page. */
export async function tabOf<Inside>(
  script: URL,
): Promise<{ realm: Remote<Inside>; close(): void }> {
  const frame = document.createElement('iframe')
  const ready = readiness(frame)
  frame.srcdoc = `<script type="module" src="${script.href}"></script>`
  document.body.append(frame)
  atEnd(() => frame.remove())
  await ready
  return {
    realm: wrap<Inside>(windowEndpoint(frame.contentWindow as Window)),
    close: () => frame.remove(),
  }
}
