import { SkillshelfError, throwIfAborted } from '../../core/errors.js'

/** How much of an archive is taken in. `Infinity` lifts a limit. */
export interface ArchiveLimits {
  /** Files; as many folders and links again. Default 10,000. */
  files?: number
  /** Bytes of all files together, inflated; the archive itself may not be longer either. Default 268,435,456 (256 MiB). */
  bytes?: number
  /** Bytes of one file, inflated. Default 67,108,864 (64 MiB). */
  file?: number
  /** Inflated bytes for one compressed byte, once 1 MiB was inflated. Default 200. */
  ratio?: number
}

/** Adds up what comes in, and throws `too-large` as soon as it is too much. */
export interface Meter {
  /** Bytes of the archive as they come in. */
  arrived(bytes: number): void
  /** Compressed bytes on their way into the inflater. */
  fed(bytes: number): void
  /** What came out of it. */
  inflated(bytes: number): void
  /** One file's bytes: so far, or as it declares them. */
  file(path: string, bytes: number): void
  files(count: number): void
  /** Files as the archive declares them, before any is inflated. */
  declared(bytes: number): void
  /** Called after each little piece of work: lets the page and its events have a turn after every 4 MiB, or 256 small pieces. */
  pause(): Promise<void>
}

const MiB = 1024 * 1024
const DEFAULTS: Required<ArchiveLimits> = { files: 10_000, bytes: 256 * MiB, file: 64 * MiB, ratio: 200 }
/** What a small archive may inflate to, whatever its ratio. */
const FREE = MiB
const PAUSE = 4 * MiB
/** What a piece of work costs however small it is, in bytes. */
const WORK = PAUSE / 256

/** @throws SkillshelfError `invalid-input` */
export function limitsOf(given: ArchiveLimits = {}): Required<ArchiveLimits> {
  const limits = { ...DEFAULTS, ...given }
  for (const [name, value] of Object.entries(limits)) {
    if (typeof value !== 'number' || !(value >= 0))
      throw new SkillshelfError('invalid-input', `limits.${name} is ${String(value)}`, {
        hint: 'give a number from 0 on, or Infinity',
      })
  }
  return limits
}

export function meterOf(limits: Required<ArchiveLimits>, signal: AbortSignal): Meter {
  let arrived = 0
  let fed = 0
  let inflated = 0
  let work = 0
  const check = (what: string, value: number, limit: keyof ArchiveLimits): void => {
    if (value > limits[limit])
      throw new SkillshelfError('too-large', `${what}, more than ${limits[limit]}`, {
        hint: `where the archive is to be trusted, raise limits.${limit}`,
      })
  }
  return {
    arrived(bytes) {
      arrived += bytes
      check(`The archive is ${arrived} bytes long or more`, arrived, 'bytes')
    },
    fed(bytes) {
      fed += bytes
    },
    inflated(bytes) {
      inflated += bytes
      work += bytes
      check(`The archive inflates to ${inflated} bytes or more`, inflated, 'bytes')
      const ratio = Math.floor(inflated / Math.max(fed, 1))
      if (inflated > FREE) check(`The archive inflates to ${ratio} times its size`, ratio, 'ratio')
    },
    file(path, bytes) {
      check(`${path} in the archive is ${bytes} bytes long or more`, bytes, 'file')
    },
    files(count) {
      check(`The archive has ${count} entries or more`, count, 'files')
    },
    declared(bytes) {
      check(`The archive declares ${bytes} bytes`, bytes, 'bytes')
    },
    async pause() {
      work += WORK
      if (work >= PAUSE) {
        work = 0
        await new Promise(resolve => setTimeout(resolve, 0))
      }
      throwIfAborted(signal)
    },
  }
}
