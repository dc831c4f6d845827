import { cached, http, type LibraryInput, memory, openLibrary, pack, type SkillSource } from 'skillshelf'
import { indexedDb } from 'skillshelf/indexeddb'
import { remember, remembered } from './choice.js'
import type { Library } from './desk.js'
import { MINE } from './route.js'

/** What this browser keeps: skills of the person's own, and a copy of the samples. Loaded by who has any, or once the page has answered. */

export type Mine = ReturnType<typeof indexedDb>
type Embedder = NonNullable<Parameters<typeof indexedDb>[1]>['embedder']

const CATALOG = 'skillshelf.json'

/** @param embedder Gives what is kept its vectors. */
export function openMine(embedder?: Embedder): Mine {
  return indexedDb('skillshelf-page', { name: MINE, ...(embedder ? { embedder } : {}) })
}

/** The page's own library: what is kept, then the samples. It follows what any tab keeps, and of the samples what their host has. */
export async function ownShelf(samples: URL): Promise<LibraryInput[]> {
  const copy = await heldCopy(samples)
  const source = http(samples)
  return [...kept(), calm(copy ? cached(source, copy, { whole: true }) : source)]
}

/**
 * The same by words, and without a look at the network, where there is a copy; `undefined` where nothing is kept. It is for the moment: it
 * follows nobody, so that it goes when nobody asks it any more.
 */
export async function openStored(samples: URL, signal: AbortSignal): Promise<Library | undefined> {
  const copy = await heldCopy(samples)
  const source = http(samples)
  const sources = [...kept(), copy ? { name: source.name, read: copy.read } : source]
  const library = await openLibrary({ sources: sources.map(unwatched) }, { signal })
  if (library.snapshot.skills.length > 0) return library
  await library.close()
  return undefined
}

/** Makes a copy of the samples, with every file. */
export async function copySamples(samples: URL): Promise<void> {
  const copy = cached(http(samples), openCopy(samples), { whole: true })
  try {
    // The first answer may be that of a copy that is not whole; the second has asked the host.
    await copy.read(CATALOG)
    await copy.read(CATALOG)
    remember('copied', 'yes')
  } finally {
    await copy.close?.()
  }
}

/** What is kept, opened by itself. */
export function openKept(signal: AbortSignal): Promise<Library> {
  return openLibrary(orNothing(openMine()), { strict: true, signal })
}

/** Of each page of this host its own. */
function openCopy({ pathname }: URL): Mine {
  return indexedDb(`skillshelf-page-samples ${pathname}`)
}

/** `undefined` where there is none, or it cannot be read. */
async function heldCopy(samples: URL): Promise<Mine | undefined> {
  if (remembered('copied') === undefined) return undefined
  const copy = openCopy(samples)
  const held = await copy.read(CATALOG).catch(() => undefined)
  return held && copy
}

function kept(): SkillSource[] {
  return remembered('kept') === undefined ? [] : [orNothing(openMine())]
}

/** Where nothing was kept yet it is an empty library, that can be followed. */
function orNothing(mine: Mine): SkillSource {
  return {
    name: mine.name,
    read: async (path, options) =>
      (await mine.read(path, options)) ?? (path === CATALOG ? { bytes: await nothing() } : undefined),
    watch: onChange => mine.watch(onChange),
    close: () => mine.close(),
  }
}

async function nothing(): Promise<Uint8Array<ArrayBuffer>> {
  for await (const { bytes } of pack(memory({}, { name: MINE }))) return bytes
  return new Uint8Array()
}

/**
 * The samples, which no change of another source waits for: they are looked at again when they say so themselves. That their host cannot be
 * reached then is no remark: it is what being offline looks like.
 */
function calm(samples: SkillSource): SkillSource {
  const { name, watch } = samples
  let told = false
  return {
    name,
    async read(path, options = {}) {
      const again = path === CATALOG && options.ifVersion !== undefined
      if (again && !told) return 'unchanged'
      told = false
      try {
        return await samples.read(path, options)
      } catch (error) {
        options.signal?.throwIfAborted()
        if (!again) throw error
        return 'unchanged'
      }
    },
    ...(watch
      ? {
          watch: onChange =>
            watch(() => {
              told = true
              onChange()
            }),
        }
      : {}),
    close: async () => samples.close?.(),
  }
}

function unwatched({ name, read }: SkillSource): SkillSource {
  return { name, read }
}
