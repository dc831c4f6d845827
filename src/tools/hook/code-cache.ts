/**
 * The code that V8 compiled for the hook, kept between prompts: to compile it again takes longer than to find the skills.
 *
 * S4: V8 runs such code without a check of its own: a damaged file ends the process by a signal, and a planted one does what it likes.
 * So it is used only from a folder and file that nobody but the user can have written, and only whole: the file has the code twice, and what
 * it was made for, the digest of its source and the version of the engine. To compare takes 0.1 ms, to load `node:crypto` for a digest of it
 * 3 ms. While a prompt runs the code, its file has another name. If that ends the process, the next prompt does not find it, and compiles.
 */
import { readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { attempt } from './attempt.js'
import { isOwnFolder, makeOwnFolder, readOwnFile, writeOwnFile } from './own-files.js'

/** Bytes of the largest file that is read. It has a megabyte. */
const LIMIT = 32 * 1_048_576
/** Milliseconds after which a file in use was left behind by a process that ended. */
const ABANDONED = 60_000
const IN_USE = '.used'

export interface CodeCache {
  /** Compiled code, if there is some that can be used. */
  readonly code: Buffer | undefined
  /** Puts the code back after it did no harm. */
  putBack(): void
  /** Keeps other code in its place. */
  replace(code: Buffer): void
}

/** Takes the compiled code of a source out of a folder. `digest` is that of the source, in hex. Never throws. */
export function takeCode(folder: string, digest: string): CodeCache {
  const name = `hook-${digest}.code`
  const file = join(folder, name)
  const used = `${file}.${process.pid}${IN_USE}`
  const code = attempt(() => read(folder, file, used, digest), undefined)
  return {
    code,
    putBack() {
      if (code) attempt(() => renameSync(used, file), undefined)
    },
    replace(next) {
      attempt(() => {
        makeOwnFolder(folder)
        writeOwnFile(file, Buffer.concat([next, next, madeFor(digest)]))
        removeOthers(folder, name)
      }, undefined)
    },
  }
}

function read(folder: string, file: string, used: string, digest: string): Buffer | undefined {
  if (!isOwnFolder(folder)) return undefined
  renameSync(file, used)
  try {
    const content = Buffer.from(readOwnFile(used, LIMIT).buffer)
    const end = madeFor(digest)
    const copies = content.subarray(0, -end.length)
    const code = copies.subarray(0, copies.length / 2)
    if (content.subarray(-end.length).equals(end) && code.equals(copies.subarray(code.length))) {
      return code
    }
  } catch {
    // Removed below.
  }
  rmSync(used, { recursive: true, force: true })
  return undefined
}

/** The end of a file: the source and the engine that the code is for. */
function madeFor(digest: string): Buffer {
  const { version, versions, arch } = process
  return Buffer.from(`\n${digest} ${version} ${versions.v8} ${arch}\n`)
}

/** Removes the code of other versions, and what processes that ended were using. */
function removeOthers(folder: string, name: string): void {
  for (const other of readdirSync(folder)) {
    if (!/^hook-.*\.(?:code|used)$/.test(other) || other === name) continue
    const path = join(folder, other)
    const isUsed = other.endsWith(IN_USE) && Date.now() - statSync(path).ctimeMs < ABANDONED
    if (!isUsed) rmSync(path, { force: true })
  }
}
