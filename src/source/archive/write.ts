import { gzipSync, type Zippable, zipSync } from 'fflate'
import { packTar } from 'modern-tar'
import { invalidInput, SkillshelfError } from '../../core/errors.js'
import { onDemand } from '../../core/load-module.js'
import { safePath } from '../../core/paths.js'
import { checkOptionNames, type OptionNames } from '../../core/text/option-names.js'

const loadSecrets = onDemand(() => import('../../core/secrets/find-secret.js'))

/** Options of `writeArchive`. */
export interface WriteArchiveOptions {
  /** The archive format. */
  format: 'zip' | 'tar.gz'
  /** `false` stores the files uncompressed, which is many times faster. @default true */
  compress?: boolean | undefined
  /**
   * Paths of files, or of folders of files, that are written although they look like a private key, a token or a file of passwords. Any
   * other such file is refused.
   * @default []
   */
  allow?: readonly string[] | undefined
}

/** `mem` is fixed because fflate's default depends on `Math.log`, which differs between engines. */
const COMPRESSION = { level: 9, mem: 6 } as const
const STORED = { level: 0 } as const
type Compression = typeof COMPRESSION | typeof STORED
/** Field sizes of a ustar header, in bytes of UTF-8. */
const USTAR_NAME = 100
const USTAR_PREFIX = 155

const OPTIONS = { format: 1, compress: 1, allow: 1 } satisfies OptionNames<WriteArchiveOptions>

/**
 * Writes files as a zip or tar.gz archive.
 *
 * The output is deterministic: the same files give the same bytes in every runtime, time zone and year. SKILL.md comes first, then the
 * other files sorted by path. Timestamps are 1980 (zip) or 1970 (tar), the mode is 0644, and the tar format is plain ustar.
 * @param files Content by relative path.
 * @throws SkillshelfError `invalid-path` for a path that leaves the archive, `invalid-input` for two spellings of one path and for a secret
 * that `allow` does not name, `unsupported` for a name that the format cannot hold
 * @example
 * ```ts
 * const bytes = await writeArchive({ 'SKILL.md': text }, { format: 'zip' })
 * ```
 */
export async function writeArchive(
  files: Readonly<Record<string, Uint8Array | string>>,
  archiveOptions: WriteArchiveOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  checkOptionNames(archiveOptions, OPTIONS)
  const { allow, ...options } = archiveOptions
  const { allowedPaths, findSecret, secretsError } = await loadSecrets()
  const isAllowed = allowedPaths(allow)
  const sorted = sortFiles(files)
  // S10: an archive is made to be passed on.
  const secrets = sorted.flatMap(([path, bytes]) =>
    isAllowed(path) ? [] : (findSecret(path, bytes) ?? []),
  )
  if (secrets.length > 0) throw secretsError(secrets)
  return archiveSorted(sorted, options)
}

/** As `writeArchive`, of files that were examined before. */
export async function archiveExamined(
  files: Readonly<Record<string, Uint8Array | string>>,
  options: Omit<WriteArchiveOptions, 'allow'>,
): Promise<Uint8Array<ArrayBuffer>> {
  return archiveSorted(sortFiles(files), options)
}

async function archiveSorted(
  sorted: readonly File[],
  { format, compress = true }: Omit<WriteArchiveOptions, 'allow'>,
): Promise<Uint8Array<ArrayBuffer>> {
  const compression = compress ? COMPRESSION : STORED
  if (format === 'zip') return writeZip(sorted, compression)
  if (format === 'tar.gz') return writeTar(sorted, compression)
  throw invalidInput(`Unknown archive format: ${String(format)}`, "give 'zip' or 'tar.gz'")
}

type File = readonly [path: string, bytes: Uint8Array<ArrayBuffer>]

function sortFiles(files: Readonly<Record<string, Uint8Array | string>>): readonly File[] {
  const seen = new Map<string, Uint8Array<ArrayBuffer>>()
  for (const [name, content] of Object.entries(files)) {
    const path = safePath(name)
    if (seen.has(path)) {
      throw new SkillshelfError('invalid-input', `Two files have the path ${path}`, {
        subject: path,
      })
    }
    seen.set(
      path,
      typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content),
    )
  }
  return [...seen].sort(
    ([a], [b]) => Number(b === 'SKILL.md') - Number(a === 'SKILL.md') || (a < b ? -1 : 1),
  )
}

function writeZip(files: readonly File[], compression: Compression): Uint8Array<ArrayBuffer> {
  // Local time: zip timestamps have no time zone, so the bytes are the same everywhere.
  const entry = { ...compression, mtime: new Date(1980, 0, 1, 12), os: 3, attrs: 0o100644 * 65_536 }
  const zippable: Zippable = {}
  for (const [path, bytes] of files) {
    if (path === '__proto__') {
      throw new SkillshelfError('unsupported', 'A zip cannot hold a file named __proto__', {
        subject: path,
        hint: 'write a tar.gz',
      })
    }
    zippable[path] = [bytes, entry]
  }
  return new Uint8Array(zipSync(zippable))
}

async function writeTar(
  files: readonly File[],
  compression: Compression,
): Promise<Uint8Array<ArrayBuffer>> {
  for (const [path] of files) {
    if (!fitsUstar(path)) {
      throw new SkillshelfError('unsupported', `The name ${path} is too long for a tar`, {
        subject: path,
        hint: `write a zip: a tar holds ${USTAR_NAME} bytes of file name and ${USTAR_PREFIX} bytes of folders`,
      })
    }
  }
  const tar = await packTar(
    files.map(([name, body]) => ({
      header: {
        name,
        size: body.length,
        type: 'file',
        mode: 0o644,
        mtime: new Date(0),
        uid: 0,
        gid: 0,
      },
      body,
    })),
  )
  return new Uint8Array(gzipSync(tar, { ...compression, mtime: 0 }))
}

function fitsUstar(path: string): boolean {
  const bytes = new TextEncoder().encode(path)
  if (bytes.length <= USTAR_NAME) return true
  return bytes.some(
    (byte, index) =>
      byte === 0x2f && index > 0 && index <= USTAR_PREFIX && bytes.length - index - 1 <= USTAR_NAME,
  )
}
