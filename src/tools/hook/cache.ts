import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { digestOf, shortDigest } from '../../core/digest.js'
import { isRecord, parseJson } from '../../core/plain-data.js'
import type { LocalLibrary } from '../../library/api/skill-library.js'
import { openLibrary } from '../../library/open-library.js'
import type { Part } from '../../search/model/script-parts.js'
import type { SkillModel } from '../../search/model/skill-model.js'
import {
  neededParts,
  openStaticModel,
  type StaticModelFiles,
} from '../../search/model/static-model.js'
import { CATALOG_FILE } from '../../source/catalog-file.js'
import { attempt } from './attempt.js'
import { isOwnFolder, readOwnFile } from './own-files.js'
import type { SkillPlaces } from './places.js'

const STATE_FILE = 'state.json'
/** Bytes of a file of the cache. */
const LIMIT = 256 * 1_048_576

export interface CachedSkill {
  /** The start of its description, on one line. */
  line: string
  /** Set if only people may open it. */
  manual?: true
  /** Paths in a scan of other folders with the same skill. */
  copies?: readonly string[]
}

/** What a cache folder holds, in `state.json`. The other files are written before it, and are named by their content. */
export interface CacheState {
  /** Of the scan that was packed. */
  fingerprint: string
  /** File with the packed catalog. */
  catalog: string
  /** Whether a skill has `paths`. */
  hasPaths: boolean
  /** By id: `skills/` and the path in a scan. */
  skills: Readonly<Record<string, CachedSkill>>
  /** Times of the last packs, in milliseconds since 1970, the latest last. */
  packed: readonly number[]
}

/** Reads a file of a cache. @throws if it is missing */
export type ReadCacheFile = (file: string) => Uint8Array<ArrayBuffer>

/** The cache folder of some folders of skills. */
export function cacheFolder(cache: string, { roots }: SkillPlaces): string {
  return join(cache, shortDigest(digestOf(JSON.stringify(roots))))
}

export function stateFile(folder: string): string {
  return join(folder, STATE_FILE)
}

/** Reads the state of a cache folder. @returns `undefined` if there is none that only the user can have written (S4) */
export function readState(folder: string): CacheState | undefined {
  if (!isOwnFolder(folder)) return undefined
  // `Buffer` decodes in half the time of `TextDecoder`.
  const state = attempt(
    () => parseJson(Buffer.from(readOwnFile(stateFile(folder), LIMIT).buffer).toString()),
    undefined,
  )
  return isState(state) ? state : undefined
}

/** Removes a state whose files are damaged, so that the next prompt packs again. Another process may have replaced it since. */
export function removeState(folder: string, { catalog, packed }: CacheState): void {
  const now = readState(folder)
  if (now?.catalog === catalog && now.packed.at(-1) === packed.at(-1)) {
    rmSync(stateFile(folder), { force: true })
  }
}

/** Reads the files of a cache folder. */
export function cacheReader(folder: string): ReadCacheFile {
  return file => readOwnFile(join(folder, file), LIMIT)
}

/** Opens a cache for one message. Its files were checked when they were written, so nothing is hashed again. @throws if it is damaged */
export function openCache(
  read: ReadCacheFile,
  { catalog }: CacheState,
  message: string,
): Promise<LocalLibrary> {
  const source = {
    name: 'skills',
    // Reads are synchronous, and timers take a millisecond.
    timeout: Number.POSITIVE_INFINITY,
    async read(path: string) {
      const file = path === CATALOG_FILE ? catalog : path
      return { bytes: read(file), digest: `sha256:${file.slice(0, 16).padEnd(64, '0')}` }
    },
  }
  return openLibrary(source, {
    embedder: openModel(message),
    strict: true,
    // What the user must know is in the log. Some hosts show what a hook writes elsewhere.
    onDiagnostic: () => undefined,
  })
}

/** The bundled model with the parts that a message needs. */
function openModel(message: string): SkillModel {
  const parts = new Set<Part>(['latin', ...neededParts(message)])
  // Not a URL: to parse one takes half a millisecond.
  const folder = join(import.meta.dirname, '../../../model')
  const files = [...parts].map(part => [part, readFileSync(join(folder, `${part}.bin`))])
  return openStaticModel(Object.fromEntries(files) as unknown as StaticModelFiles)
}

function isState(value: unknown): value is CacheState {
  return (
    isRecord(value) &&
    typeof value['fingerprint'] === 'string' &&
    typeof value['catalog'] === 'string' &&
    Array.isArray(value['packed']) &&
    isRecord(value['skills'])
  )
}
