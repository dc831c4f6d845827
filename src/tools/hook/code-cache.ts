/**
 * The code that V8 compiled for the hook, kept between prompts: to compile it again takes longer than to find the skills.
 *
 * S4: V8 runs such code without a check of its own: a damaged file ends the process by a signal, and a planted one does what it likes.
 * So it is used only from a folder and file that nobody but the user can have written, and with the digest that was written with it, over
 * the code, its source and the version of the engine. While a prompt runs it, the file has another name. If that ends the process, the next
 * prompt does not find it, and compiles.
 */
import { createHash } from 'node:crypto'
import { readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { attempt } from './attempt.js'
import { isOwnFolder, makeOwnFolder, readOwnFile, writeOwnFile } from './own-files.js'

/** Bytes of the largest file that is read. It has half a megabyte. */
const LIMIT = 32 * 1_048_576
const DIGEST_BYTES = 32
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
        writeOwnFile(file, Buffer.concat([next, seal(next, digest)]))
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
    const code = content.subarray(0, -DIGEST_BYTES)
    if (seal(code, digest).equals(content.subarray(-DIGEST_BYTES))) return code
  } catch {
    // Removed below.
  }
  rmSync(used, { recursive: true, force: true })
  return undefined
}

/** The digest of code that was compiled from a source by this engine. */
function seal(code: Buffer, digest: string): Buffer {
  const { version, versions, arch } = process
  return createHash('sha256').update(`${digest} ${version} ${versions.v8} ${arch}\0`).update(code).digest()
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
