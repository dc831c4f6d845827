import { sleep } from '../../src/core/abort.js'
import { createQueue } from '../../src/core/concurrency.js'
import { isSkillshelfError } from '../../src/core/errors.js'
import { r2 } from '../../src/exports/cloudflare.js'
import { memoryEngine, openEngineLibrary, publishToEngine } from '../../src/exports/engine.js'
import {
  type CachedOptions,
  cached,
  type LibraryOptions,
  memory,
  openLibrary,
  type SkillLibrary,
  type SkillSource,
} from '../../src/exports/index.js'
import type { WritableSource } from '../../src/exports/sources.js'
import { type SkillStore, skillStore } from '../../src/exports/store.js'
import type { LearnedMessage } from '../../src/library/api/learned-messages.js'
import { createKeys, signCatalog } from '../../src/library/signed/signature.js'
import { CATALOG_FILE } from '../../src/source/catalog-file.js'
import { indexedDbSource } from '../../src/source/indexeddb/indexeddb.js'
import { packFiles } from '../packed-files.js'
import type { PackedFiles } from '../pieces-world.js'
import { bucketStandIn, engineTakingTurns, learnedTakingTurns, takingTurns } from './places.js'
import type { Run } from './run.js'
import { type Change, filesOf, inFolder, type Tree } from './skills.js'

/** The name of every library: the origin of its skills. */
export const NAME = 'mine'

/** One kind of library, its files and its writers. */
export interface World {
  /** Opens the library, as a new page or program does. */
  open(options: LibraryOptions): Promise<SkillLibrary>
  /** Makes changes, each by a writer of its own at the same time. @param after The files after all of them. */
  change(changes: readonly Change[], after: Tree, signal: AbortSignal): Promise<void>
  /** Other things that can be done to it. None changes a skill. */
  also?: Readonly<Record<string, (tree: Tree, signal: AbortSignal) => Promise<unknown>>>
  /** Whether the network is down: then a library shows what it has seen. */
  isDown?(): boolean
  /** Whether a program holds locks that only the end of a real one releases: test/browser/indexeddb-killed.test.ts ends those. */
  holdsLocks?: boolean
  /** Starts the writers again, after their program ended. Absent: writers remember nothing. */
  restart?(): Promise<void>
  /** Whether files are read as they are, also before a refresh lists them. */
  isLive?: boolean
  /** Whether old revisions are deleted after an hour, so that readers must refresh. */
  expires?: boolean
  /** Whether the library learns. */
  learns?: boolean
  close?(): Promise<void>
}

/** Makes a world without skills. */
export type CreateWorld = (run: Run) => Promise<World>

const QUIET: LibraryOptions = { embedder: false, onDiagnostic: () => undefined }

/** The changes of a tree as one write. */
function difference(before: Tree, after: Tree) {
  return {
    put: Object.fromEntries(Object.entries(after).filter(([path, text]) => before[path] !== text)),
    remove: Object.keys(before).filter(path => !(path in after)),
  }
}

/** Replaces the files of a place, all at once. */
async function replace(
  place: WritableSource,
  files: Readonly<Record<string, Uint8Array<ArrayBuffer> | string>>,
  signal: AbortSignal,
): Promise<void> {
  const listed = (await place.list?.({ signal })) ?? []
  const remove = listed.map(({ path }) => path).filter(path => !(path in files))
  await place.write({ put: files, remove }, { signal })
}

/** A tree of folders that somebody edits. */
const tree: CreateWorld = async run => {
  const place = takingTurns(run, memory({}, { name: NAME }))
  let before: Tree = {}
  return {
    isLive: true,
    learns: true,
    open: options => openLibrary(place, { ...QUIET, ...options }),
    async change(_, after, signal) {
      await place.write(difference(before, after), { signal })
      before = after
    },
  }
}

/** A packed library, which is packed and put in place again after each change. */
function packed(openPlace: (run: Run) => WritableSource, isPieced = false): CreateWorld {
  return async run => {
    const place = openPlace(run)
    let pieces = isPieced
    const change: World['change'] = async (_, after, signal) =>
      publishTo(place, await packFiles(after, NAME, { pieces }), signal)
    await change([], {}, new AbortController().signal)
    return {
      open: options => openLibrary(place, { ...QUIET, ...options }),
      change,
      also: {
        'pack again': (tree, signal) => change([], tree, signal),
        'in pieces or whole': (tree, signal) => {
          if (isPieced) pieces = !pieces
          return change([], tree, signal)
        },
        sweep: (_, signal) => skillStore(place).sweep({ olderThan: 0, signal }),
      },
    }
  }
}

/** Replaces a packed library. Another writer may do so at the same time. */
async function publishTo(place: WritableSource, files: PackedFiles, signal: AbortSignal) {
  for (;;) {
    try {
      await replace(place, files, signal)
      return
    } catch (error) {
      if (!isSkillshelfError(error, 'conflict')) throw error
    }
  }
}

/** A library whose writers install, edit and remove skills. */
function stored(
  openPlace: (run: Run) => () => WritableSource,
  { holdsLocks = false } = {},
): CreateWorld {
  return async run => {
    const openSource = openPlace(run)
    const places: SkillSource[] = []
    const open = () => {
      const source = openSource()
      places.push(source)
      return source
    }
    const openWriters = (): SkillStore[] => [open(), open()].map(source => skillStore(source))
    let writers = openWriters()
    const writer = (number: number) => writers[number % writers.length] as SkillStore
    const make = async (store: SkillStore, change: Change, after: Tree, signal: AbortSignal) => {
      const { kind, folder } = change
      if (kind === 'put') {
        await store.install(inFolder(folder, change.files), { signal })
      } else if (kind === 'edit') {
        await store.edit(`${NAME}/${folder}`, change, { signal })
      } else {
        if (kind === 'rename') {
          await store.install(inFolder(change.to, filesOf(after, change.to)), { signal })
        }
        await store.remove(`${NAME}/${folder}`, { signal }).catch(unlessGone)
      }
    }
    return {
      holdsLocks,
      learns: true,
      open: options => openLibrary(open(), { ...QUIET, ...options }),
      async change(changes, after, signal) {
        await allSettled(changes.map((one, number) => make(writer(number), one, after, signal)))
      },
      also: {
        sweep: (_, signal) => writer(1).sweep({ olderThan: 0, signal }),
        'install all again': (tree, signal) =>
          Object.keys(tree).length === 0
            ? Promise.resolve()
            : writer(1).install({ ...tree }, { signal }),
      },
      async restart() {
        writers = openWriters()
      },
      async close() {
        await Promise.all(places.map(place => place.close?.()))
      },
    }
  }
}

/** A change that is made again after its answer was lost. */
function unlessGone(error: unknown): void {
  if (!isSkillshelfError(error, 'skill-not-found')) throw error
}

/** Waits for all, then throws the first error. */
async function allSettled(work: readonly Promise<unknown>[]): Promise<void> {
  for (const result of await Promise.allSettled(work)) {
    if (result.status === 'rejected') throw result.reason
  }
}

/** How a host has its skills. */
type Form = (tree: Tree) => Tree | Promise<PackedFiles>

/** An offline copy of a host that may be down. */
function copied(forms: readonly Form[], { whole }: CachedOptions = {}): CreateWorld {
  return async run => {
    let number = 0
    const filesOf: Form = tree => (forms[number % forms.length] as Form)(tree)
    const host = memory(await filesOf({}), { name: NAME })
    let isDown = false
    const site = takingTurns(run, {
      ...host,
      read: async (path, options) => {
        if (isDown) throw new Error('The network is down')
        return host.read(path, options)
      },
      list: async options => {
        if (isDown) throw new Error('The network is down')
        return host.list(options)
      },
    } satisfies WritableSource)
    const { write: _, ...source } = site
    const copy = takingTurns(run, memory({}, { name: 'copy' }))
    return {
      open: options =>
        openLibrary(cached({ ...source, timeout: 1_000 }, copy, { whole }), {
          ...QUIET,
          ...options,
        }),
      async change(_, after) {
        await replace(host, await filesOf(after), new AbortController().signal)
      },
      also: {
        'network up or down': async () => {
          isDown = !isDown
        },
        'in another form': async tree => {
          number++
          await replace(host, await filesOf(tree), new AbortController().signal)
        },
      },
      isDown: () => isDown,
    }
  }
}

/** A signed library whose publisher changes keys, or an offline copy of it. */
const signed =
  (isCopied: boolean): CreateWorld =>
  async run => {
    const keys = [await createKeys(), await createKeys()]
    const signers = [keys.slice(0, 1), keys, keys.slice(1)]
    const place = takingTurns(run, memory({}, { name: NAME }))
    const copy = takingTurns(run, memory({}, { name: 'copy' }))
    const { write: _, ...site } = place
    const seenRevisions = new Map<string, number>()
    let revision = 0
    let rotations = 0
    // One publisher, because each of two could put back a revision of the other.
    let queue = createQueue()
    const publish = (tree: Tree, signal: AbortSignal): Promise<void> =>
      queue(() => publishNow(tree, signal))
    const publishNow = async (tree: Tree, signal: AbortSignal): Promise<void> => {
      const files = await packFiles(tree, NAME)
      const catalog = files[CATALOG_FILE] as Uint8Array<ArrayBuffer>
      const privateKeys = (signers[rotations % signers.length] ?? []).map(key => key.privateKey)
      revision++
      await replace(
        place,
        { ...files, [CATALOG_FILE]: await signCatalog(catalog, privateKeys, { revision }) },
        signal,
      )
    }
    await publish({}, new AbortController().signal)
    return {
      open: options =>
        openLibrary(isCopied ? cached({ ...site, timeout: 1_000 }, copy) : place, {
          ...QUIET,
          ...options,
          publicKeys: keys.map(key => key.publicKey),
          seenRevisions,
        }),
      change: (_, after, signal) => publish(after, signal),
      also: {
        'rotate keys': async (tree, signal) => {
          rotations++
          await publish(tree, signal)
        },
        sweep: (_, signal) => queue(() => skillStore(place).sweep({ olderThan: 0, signal })),
      },
      async restart() {
        queue = createQueue()
      },
    }
  }

/** A library whose skills are in a search engine. */
const engine: CreateWorld = async run => {
  const rows = engineTakingTurns(run, memoryEngine())
  const files = takingTurns(run, memory({}, { name: NAME }))
  const publish = async (tree: Tree, signal: AbortSignal): Promise<void> => {
    const options = { engine: rows, files, library: NAME, signal }
    for (;;) {
      try {
        await publishToEngine(memory(tree, { name: NAME }), options)
        return
      } catch (error) {
        if (!isSkillshelfError(error, 'conflict')) throw error
        // The other publish ends, or its program has ended.
        await sleep(2 * 3_600_000 * Math.random(), signal)
      }
    }
  }
  return {
    expires: true,
    open: () => openEngineLibrary({ engine: rows, files, allowEmpty: true }),
    change: (_, after, signal) => publish(after, signal),
    also: {
      'publish again': publish,
      'two hours later': async () => run.pass(2 * 3_600_000),
    },
  }
}

const inMemory = (run: Run) => takingTurns(run, memory({}, { name: NAME }))
const inBucket = (run: Run) => r2(bucketStandIn(run), { name: NAME })

const asTree: Form = tree => tree
const asPack: Form = tree => packFiles(tree, NAME)
const asPieces: Form = tree => packFiles(tree, NAME, { pieces: true })

let databases = 0
/** In IndexedDB each tab has a connection of its own. */
const openDatabase = (run: Run) => {
  databases++
  const name = `trace-${Math.floor(performance.timeOrigin)}-${databases}`
  return () => takingTurns(run, indexedDbSource(name, { name: NAME }))
}

/** Every kind of library that this runtime has. */
export const WORLDS: Readonly<Record<string, CreateWorld>> = {
  tree,
  packed: packed(inMemory),
  pieces: packed(inMemory, true),
  'pieces in R2': packed(inBucket, true),
  store: stored(run => {
    const place = inMemory(run)
    return () => place
  }),
  'store in R2': stored(run => {
    const place = inBucket(run)
    return () => place
  }),
  ...(globalThis.indexedDB
    ? { 'store in IndexedDB': stored(openDatabase, { holdsLocks: true }) }
    : {}),
  'copy of a tree': copied([asTree]),
  'copy of a packed library': copied([asPack]),
  'whole copy of a packed library': copied([asPack], { whole: true }),
  'copy of pieces': copied([asPieces, asPack, asTree]),
  'whole copy of pieces': copied([asPieces, asPack], { whole: true }),
  signed: signed(false),
  'copy of a signed library': signed(true),
  engine,
}

/** Options of a library that learns into `stored`. */
export function learning(run: Run, stored: { messages: readonly LearnedMessage[] }) {
  return { learn: learnedTakingTurns(run, stored) }
}
