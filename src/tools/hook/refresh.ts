/**
 * Packs changed skills in a process of its own, which ends at a deadline whatever happens.
 *
 * The work is done by a thread, and the main thread only waits: it can end the process also if the thread never returns from a call of the
 * system, such as one that reads from a disk that is gone, and although the prompt that started it is gone.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { readOwnFile, writeOwnFile } from './own-files.js'
import type { SkillPlaces } from './places.js'
import { DEADLINE, nameRefresh } from './refresh-lock.js'

/** Megabytes of memory of the thread. */
const MEMORY = 2_048

/** The folders of skills and their rules, in the cache folder. They may be longer than an argument of a command. */
const PLACES_FILE = 'places.json'
/** Bytes of it. */
const MAX_PLACES = 64 * 1_048_576

/** Starts a process that packs the skills of some folders into a cache folder. */
export function startRefresh(folder: string, places: SkillPlaces): void {
  const main = fileURLToPath(new URL('./main.cjs', import.meta.url))
  writeOwnFile(join(folder, PLACES_FILE), JSON.stringify(places))
  const child = spawn(process.execPath, [main, '--refresh', folder], {
    cwd: folder,
    detached: true,
    stdio: 'ignore',
    windowsHide: true,
  })
  // A process that does not start is tried again when the lock is old.
  child.on('error', () => undefined)
  nameRefresh(folder, child.pid)
  child.unref()
}

/** Runs a module in a thread until it ends, or ends this process at a deadline. */
export async function runUntil(deadline: number, module: URL, workerData: unknown): Promise<void> {
  const worker = new Worker(module, {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: MEMORY },
  })
  // `process.exit` would wait for the thread.
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), deadline)
  await once(worker, 'exit')
}

/** The process: packs the skills of some folders. */
export function refreshCache(folder: string): Promise<void> {
  const places = Buffer.from(readOwnFile(join(folder, PLACES_FILE), MAX_PLACES)).toString()
  return runUntil(DEADLINE, new URL('./pack-worker.js', import.meta.url), { folder, places })
}
