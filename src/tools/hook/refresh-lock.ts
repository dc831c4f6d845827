/**
 * Lets one process at a time pack the skills of a cache folder, in a limited time.
 *
 * The lock is a file. The process that creates it may start a refresh. A refresh removes it when it is done. It ends itself at a deadline, also if
 * it hangs (refresh.ts), so an older lock was left behind, and the next prompt takes it. This also delays the next try after one that
 * failed. A refresh that is older than the lock may be, because it was stopped or waits for a disk, is ended by that prompt.
 */
import {
  closeSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { attempt } from './attempt.js'
import type { CacheState } from './cache.js'
import { readOwnFile, uniqueName } from './own-files.js'

/** Milliseconds that a refresh may take. */
export const DEADLINE = 120_000
/** Milliseconds after which a lock was left behind. */
const STALE = DEADLINE + 30_000
const LOCK_FILE = 'refresh.lock'
/** As many packs in so many milliseconds are the most: files that change all the time do not pack all the time. */
export const RECENT_PACKS = 5
const RECENT = 60_000

/** Whether a changed folder is packed again now. */
export function mayRefresh({ packed }: CacheState): boolean {
  const first = packed.at(-RECENT_PACKS)
  return first === undefined || Math.abs(Date.now() - first) > RECENT
}

/** Whether this process may start a refresh of a cache folder. */
export function lockRefresh(folder: string): boolean {
  const lock = join(folder, LOCK_FILE)
  if (attempt(() => create(lock), false)) return true
  const info = attempt(() => lstatSync(lock), undefined)
  if (!info || Math.abs(Date.now() - info.mtimeMs) < STALE) return false
  if (endRefresh(lock, folder)) return false
  // Of several processes, one renames it.
  const old = uniqueName(lock)
  const isTaken = attempt(() => renameSync(lock, old) === undefined, false)
  if (!isTaken) return false
  attempt(() => rmSync(old, { recursive: true, force: true }), undefined)
  return attempt(() => create(lock), false)
}

/** Writes the process that refreshes into the lock. */
export function nameRefresh(folder: string, pid: number | undefined): void {
  attempt(() => {
    const file = openSync(join(folder, LOCK_FILE), 'r+')
    writeSync(file, String(pid))
    closeSync(file)
  }, undefined)
}

export function unlockRefresh(folder: string): void {
  attempt(() => rmSync(join(folder, LOCK_FILE), { force: true }), undefined)
}

function create(lock: string): true {
  closeSync(openSync(lock, 'wx', 0o600))
  return true
}

/** Ends the process that a lock names if it still refreshes this folder. Returns whether it did. Linux says what a process is. */
function endRefresh(lock: string, folder: string): boolean {
  return attempt(() => {
    const pid = Number(Buffer.from(readOwnFile(lock, 20)).toString())
    if (!Number.isSafeInteger(pid) || pid <= 1) return false
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    if (!command.includes('--refresh') || !command.includes(folder)) return false
    process.kill(pid, 'SIGKILL')
    return true
  }, false)
}
