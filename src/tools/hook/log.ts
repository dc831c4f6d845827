import { join } from 'node:path'
import { plainLine } from '../../core/sanitize.js'
import { attempt } from './attempt.js'
import { appendOwnLine, makeOwnFolder } from './own-files.js'
import { shorten } from './section.js'

const LOG_FILE = 'hook.log'
/** Bytes of the log, after which it is not written. */
const MAX_LOG = 100_000
/** Characters of a line. */
const MAX_LINE = 1_000

/** Writes a line to the log of a cache. S5: Text of strangers stays in its line, and has no escapes of terminals. */
export function writeLog(cache: string, line: string): void {
  // If it cannot be written, there is nowhere to report it.
  attempt(() => {
    makeOwnFolder(cache)
    const text = shorten(plainLine(line), MAX_LINE)
    appendOwnLine(join(cache, LOG_FILE), `${new Date().toISOString()} ${text}`, MAX_LOG)
  }, undefined)
}
