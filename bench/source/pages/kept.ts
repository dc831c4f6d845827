import { http, openLibrary, type SkillLibrary } from '../../../src/exports/index.js'
import { archive, indexedDb } from '../../../src/exports/sources.js'
import { countReads } from '../counted.js'
import type { Fetched, Installed, KeptOpening, Matched } from './types.js'

const DATABASE = 'bench'
const MESSAGE = 'make slides about our launch'

/** Kept open, so that its memory can be measured. */
let library: SkillLibrary | undefined

const tasks = {
  async install(zip: string): Promise<Installed> {
    const bytes = new Uint8Array(await (await fetch(zip)).arrayBuffer())
    const store = indexedDb(DATABASE)
    const start = performance.now()
    const { added } = await store.install(archive(bytes, { limits: { files: 20_000 } }))
    const ms = performance.now() - start
    const usage = await store.usage()
    await store.close()
    return { ms, skills: added.length, files: usage.files, bytes: usage.bytes }
  },
  async open(): Promise<KeptOpening> {
    const { source, counts } = countReads(indexedDb(DATABASE))
    const start = performance.now()
    library = await openLibrary(source, { strict: true, embedder: false })
    const ms = performance.now() - start
    return { ms, skills: library.snapshot.skills.length, ...counts() }
  },
  async close(): Promise<void> {
    await library?.close()
    library = undefined
  },
  /** Opens a URL without stored skills. */
  async fetch(address: string): Promise<Fetched> {
    const start = performance.now()
    await using fetched = await openLibrary(http(address), { strict: true, embedder: false })
    return { ms: performance.now() - start, skills: fetched.snapshot.skills.length }
  },
  async match(): Promise<Matched> {
    const { ms: openMs } = await tasks.open()
    const before = performance.now()
    const { matches } = await (library as SkillLibrary).search(MESSAGE)
    // Relative to the start of loading the page.
    const atMs = performance.now()
    return { openMs, matchMs: atMs - before, atMs, first: matches[0]?.name ?? '' }
  },
  /** Installs the service worker, so that the page loads without a network. */
  async keepPage(): Promise<void> {
    const { serviceWorker } = navigator as unknown as { serviceWorker: Registrar }
    await serviceWorker.register('./sw.js')
    await serviceWorker.ready
  },
}

interface Registrar {
  register(address: string): Promise<unknown>
  ready: Promise<unknown>
}

export type Tasks = typeof tasks

Object.assign(globalThis, { tasks })
