import { SkillshelfError, throwIfAborted } from '../../core/errors.js'
import { checkOptionNames } from '../../core/text/option-names.js'

/** Limits of `archive`. `Infinity` lifts a limit. */
export interface ArchiveLimits {
  /** Maximum number of files, and separately of folders and links. @default 10000 */
  files?: number
  /** Maximum bytes of the archive, and of all files after inflating. @default 268435456 (256 MiB) */
  bytes?: number
  /** Maximum bytes of one file after inflating. @default 67108864 (64 MiB) */
  file?: number
  /** Maximum compression ratio. Checked after the first inflated MiB. @default 200 */
  ratio?: number
}

const MiB = 1024 * 1024
const DEFAULTS: Required<ArchiveLimits> = {
  files: 10_000,
  bytes: 256 * MiB,
  file: 64 * MiB,
  ratio: 200,
}
/** Inflated bytes before the ratio is checked. */
const RATIO_FREE = MiB
/** Work between two yields, in bytes. */
const YIELD_AFTER = 4 * MiB
/** Fixed cost of a step, in bytes. */
const STEP_COST = YIELD_AFTER / 256

/** @throws SkillshelfError `invalid-input` */
export function resolveLimits(options: ArchiveLimits = {}): Required<ArchiveLimits> {
  checkOptionNames(options, DEFAULTS)
  const limits = { ...DEFAULTS, ...options }
  for (const [name, value] of Object.entries(limits)) {
    if (typeof value !== 'number' || !(value >= 0)) {
      throw new SkillshelfError(
        'invalid-input',
        `\`limits.${name}\` must be a non-negative number or Infinity, not ${String(value)}`,
        { subject: name },
      )
    }
  }
  return limits
}

/** Counts bytes and files while an archive is read. Its methods throw `too-large` as soon as a limit is exceeded. */
export interface Meter {
  /** Adds bytes of the archive that were received. */
  received(bytes: number): void
  /** Adds compressed bytes that were passed to the inflater. */
  deflated(bytes: number): void
  /** Adds bytes that the inflater returned. */
  inflated(bytes: number): void
  /** Checks the size of one file, in bytes after inflating. */
  file(path: string, bytes: number): void
  /** Checks a number of entries: files, and separately folders and links. */
  files(count: number): void
  /** Checks the sum of all file sizes that the archive declares, in bytes. Call it before inflating. */
  declared(bytes: number): void
  /** Yields to the event loop after every 4 MiB or 256 calls. Throws `aborted` if the signal is aborted. */
  pause(): Promise<void>
}

export function createMeter(limits: Required<ArchiveLimits>, signal: AbortSignal): Meter {
  let received = 0
  let deflated = 0
  let inflated = 0
  let work = 0
  const check = (message: string, value: number, limit: keyof ArchiveLimits): void => {
    if (value > limits[limit]) {
      throw new SkillshelfError('too-large', `${message}, more than ${limits[limit]}`, {
        hint: `raise \`limits.${limit}\` if you trust the archive`,
      })
    }
  }
  return {
    received(bytes) {
      received += bytes
      check(`The archive has at least ${received} bytes`, received, 'bytes')
    },
    deflated(bytes) {
      deflated += bytes
    },
    inflated(bytes) {
      inflated += bytes
      work += bytes
      check(`The archive inflates to at least ${inflated} bytes`, inflated, 'bytes')
      const ratio = Math.floor(inflated / Math.max(deflated, 1))
      if (inflated > RATIO_FREE) {
        check(`The archive inflates to ${ratio} times its size`, ratio, 'ratio')
      }
    },
    file: (path, bytes) =>
      check(`${path} in the archive has at least ${bytes} bytes`, bytes, 'file'),
    files: count => check(`The archive has at least ${count} entries`, count, 'files'),
    declared: bytes => check(`The archive declares ${bytes} bytes`, bytes, 'bytes'),
    async pause() {
      work += STEP_COST
      if (work >= YIELD_AFTER) {
        work = 0
        await new Promise(resolve => setTimeout(resolve, 0))
      }
      throwIfAborted(signal)
    },
  }
}
