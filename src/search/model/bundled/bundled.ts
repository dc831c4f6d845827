import { groupBy } from '../../../core/group-by.js'
import type { SkillSource } from '../../../source/source.js'
import type { PartRows, PiecedRows } from '../part-rows.js'
import { PARTS, type Part } from '../script-parts.js'
import type { SkillModel } from '../skill-model.js'
import { createStaticModel, neededParts } from '../static-model.js'
import { createFileLoader, type ModelPlace } from './model-files.js'

export interface BundledOptions {
  /**
   * Parts to load whole and at once, such as for use offline. Of the others, a message loads the rows of its words, some 66 KB with the first
   * one, and skills that are indexed load the whole part.
   * @default []
   */
  parts?: readonly Part[] | 'all' | undefined
  /**
   * The files, which are in `node_modules/skillshelf/model`: a source with `latin.bin` and the others, such as
   * `r2(env.SKILLS, { prefix: 'model/' })`, or addresses or bytes by part. An address is relative to the page; outside a page it must be
   * absolute.
   * @default the files beside the script; in a Worker the static assets of the binding `ASSETS`, at their root or in `model/`
   */
  files?: ModelFiles | Pick<SkillSource, 'read'> | undefined
}

/** The files of the bundled model by part, such as `latin.bin`. A missing one is loaded from the default place. */
export type ModelFiles = {
  readonly [P in Part]?: string | URL | Uint8Array | ArrayBuffer | undefined
}

/** Pieces of a part that one message loads at most. For more, the whole part is loaded. */
const MAX_PIECES = 48

/**
 * Creates `bundled` for a place with the files of the model. Loaded files are shared by all calls.
 * @param place Has the files that the option `files` does not name.
 */
export function createBundled(
  place: ModelPlace,
  ownLoader = createFileLoader(place),
): (options?: BundledOptions) => Promise<SkillModel> {
  return async ({ parts = [], files } = {}) => {
    const loader = files ? ownLoader.at(placeOf(files, place)) : ownLoader
    const opened = new Map<Part, PartRows>()
    const pieced = new Map<Part, PiecedRows>()
    const openWhole = async (part: Part): Promise<void> => {
      opened.set(part, await loader.whole(part))
      pieced.delete(part)
    }
    const openRows = async (part: Part): Promise<void> => {
      const rows = await loader.pieced(part)
      if (!rows) return openWhole(part)
      // Another call may have opened the part meanwhile.
      if (opened.has(part)) return
      opened.set(part, rows)
      pieced.set(part, rows)
    }
    /** Loads what a message needs of one part. @param pieces Empty if the part is not open. */
    const loadRows = async (part: Part, pieces: readonly number[]): Promise<void> => {
      const rows = pieced.get(part)
      if (!rows) return openRows(part)
      const isAdded = pieces.length <= MAX_PIECES && (await loader.addPieces(rows, pieces))
      if (!isAdded) await openWhole(part)
    }
    const whole = new Set(parts === 'all' ? PARTS : parts)
    await all([...whole].map(openWhole))
    if (!opened.has('latin')) await openRows('latin')
    const model = createStaticModel(opened)
    return {
      space: model.space,
      dimensions: model.dimensions,
      async prepare(texts) {
        if (typeof texts !== 'string') {
          const missing = [...neededParts(texts)].filter(
            part => !opened.has(part) || pieced.has(part),
          )
          await all(missing.map(openWhole))
          return
        }
        for (;;) {
          const missing = model.missing(texts)
          if (missing.length === 0) return
          const byPart = groupBy(missing, ({ part }) => part)
          await all(
            Array.from(byPart, ([part, rows]) =>
              loadRows(
                part,
                rows.flatMap(({ piece }) => piece ?? []),
              ),
            ),
          )
        }
      },
      coverage: text => model.coverage(text),
      vectorOf: (text, into) => model.vectorOf(text, into),
      skillVector: (skill, into) => model.skillVector(skill, into),
    }
  }
}

/** Waits for all work, even if some fails: what was loaded is used. */
async function all(work: readonly Promise<void>[]): Promise<void> {
  const results = await Promise.allSettled(work)
  for (const result of results) {
    if (result.status === 'rejected') throw result.reason
  }
}

function placeOf(
  files: NonNullable<BundledOptions['files']>,
  defaultPlace: ModelPlace,
): ModelPlace {
  if ('read' in files) {
    const read = async (
      path: string,
      signal: AbortSignal | undefined,
    ): Promise<Uint8Array<ArrayBuffer> | undefined> => {
      const file = await files.read(path, { signal })
      return file === 'unchanged' ? undefined : file?.bytes
    }
    return {
      readPart: (part, signal) => read(`${part}.bin`, signal),
      readRows: (name, signal) => read(`rows/${name}`, signal),
    }
  }
  return {
    async readPart(part, signal) {
      const file = files[part]
      if (file === undefined) return defaultPlace.readPart(part, signal)
      if (typeof file === 'string' || file instanceof URL) return fetchFile(file, signal)
      // Copied, because the caller may change its bytes.
      return new Uint8Array(file instanceof ArrayBuffer ? file.slice(0) : file)
    },
  }
}

/** @throws Error if the response is not a success */
export async function fetchFile(
  url: string | URL,
  signal: AbortSignal | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  const response = await fetch(url, { signal: signal ?? null })
  if (!response.ok) throw new Error(`${response.url}: ${response.status}`)
  if (response.headers.get('content-type')?.startsWith('text/html')) {
    throw new Error(`${response.url} is a web page, not a file of the model`)
  }
  return new Uint8Array(await response.arrayBuffer())
}
