import { dirname } from 'node:path'
import { sleep } from '../../core/abort.js'
import { errorMessage } from '../../core/errors.js'
import type { LocalLibrary } from '../../library/api/skill-library.js'
import {
  type CacheState,
  cacheFolder,
  cacheReader,
  openCache,
  type ReadCacheFile,
  readState,
  removeState,
} from './cache.js'
import { writeLog } from './log.js'
import { isOwnFolder, makeOwnFolder } from './own-files.js'
import type { SkillPlaces } from './places.js'
import { lockRefresh, mayRefresh } from './refresh-lock.js'
import type { Scan } from './scan.js'

/** Bytes of skills that a prompt packs itself, in about three seconds. A skill takes as long as so many bytes more. */
const PACKED_BY_PROMPT = 4 * 1_048_576
const BYTES_OF_SKILL = 2_048
/** Milliseconds that a prompt waits for another process to pack more, and between two looks. Hosts wait ten seconds. */
const WAIT = 8_000
const DELAY = 50
/** Times that a cache is opened again because another process replaced it. */
const RETRIES = 3

export interface OpenOptions {
  /** The message that is matched. */
  message: string
  places: SkillPlaces
  scan: Scan
  /** The folder of all caches. */
  cache: string
  /** Packs the skills while the old cache answers. */
  refresh(folder: string, places: SkillPlaces): void | Promise<void>
}

/** Packed skills, to answer one message. */
export interface OpenedSkills {
  library: LocalLibrary
  state: CacheState
}

/** Calls `use` with the packed skills: those of the cache, also if they are outdated, or packed now. Without skills it is not called. */
export async function withSkills<T>(
  options: OpenOptions,
  use: (opened: OpenedSkills) => Promise<T>,
): Promise<T | undefined> {
  const { message, places, scan, cache } = options
  const folder = cacheFolder(cache, places)
  const answer = async (state: CacheState, read: ReadCacheFile): Promise<T> =>
    use({ state, library: await openCache(read, state, message) })

  let state = isOwnFolder(cache) ? readState(folder) : undefined
  if (state && state.fingerprint !== scan.fingerprint && mayRefresh(state)) {
    await refreshOnce(folder, options)
  }
  if (!state && scan.bytes + scan.skills.size * BYTES_OF_SKILL > PACKED_BY_PROMPT) {
    state = await packElsewhere(folder, options)
    if (!state) return undefined
  }
  if (!state) {
    const packed = await packNow(folder, options)
    return scan.skills.size > 0 ? answer(packed.state, packed.read) : undefined
  }
  for (let retries = 0; ; retries++) {
    try {
      return scan.skills.size > 0 ? await answer(state, cacheReader(folder)) : undefined
    } catch (error) {
      const next = readState(folder)
      if (next && next.catalog !== state.catalog && retries < RETRIES) state = next
      else {
        // The next prompt packs it again.
        removeState(folder, state)
        throw error
      }
    }
  }
}

/** Packs the skills in this process. They answer even if they cannot be kept. */
async function packNow(folder: string, { scan }: OpenOptions) {
  const { packSkills, keepPacked } = await import('./pack-cache.js')
  const packed = await packSkills(scan)
  try {
    keepPacked(folder, scan, packed)
  } catch (error) {
    writeLog(dirname(folder), `the packed skills were not kept: ${errorMessage(error)}`)
  }
  return packed
}

/** Starts a refresh, unless one runs. A prompt does not fail because it cannot. */
async function refreshOnce(folder: string, { places, refresh }: OpenOptions): Promise<void> {
  if (!lockRefresh(folder)) return
  try {
    await refresh(folder, places)
  } catch (error) {
    writeLog(dirname(folder), `the skills are not packed again: ${errorMessage(error)}`)
  }
}

/** Has another process pack the skills, and waits for it, but not longer than the host. @returns `undefined` if it takes longer */
async function packElsewhere(
  folder: string,
  options: OpenOptions,
): Promise<CacheState | undefined> {
  makeOwnFolder(dirname(folder))
  makeOwnFolder(folder)
  await refreshOnce(folder, options)
  for (let waited = 0; waited < WAIT; waited += DELAY) {
    const state = readState(folder)
    if (state) return state
    await sleep(DELAY, undefined)
  }
  return undefined
}
