import { gzipSync, type Zippable, zipSync } from 'fflate'
import { packTar } from 'modern-tar'
import { SkillshelfError } from '../../core/errors.js'
import { safePath } from '../../core/paths.js'

export interface WriteArchiveOptions {
  format: 'zip' | 'tar.gz'
}

/** How well is compressed, and with how much memory: both given, for the default memory comes out of a logarithm. */
const COMPRESSION = { level: 9, mem: 6 } as const
/** What a ustar header has room for, in bytes of UTF-8. */
const USTAR_NAME = 100
const USTAR_PREFIX = 155

/**
 * An archive of these files, by path. The same files give the same bytes in every runtime, time zone and year: SKILL.md first, the
 * others sorted by path, all from 1980 (1970 in a tar), readable by all, owned by nobody. A tar is plain ustar.
 * @throws SkillshelfError `invalid-path` for a path that leaves the archive, `invalid-input` for two spellings of one path,
 * `unsupported` for a name that does not fit into the format
 */
export async function writeArchive(
  files: Readonly<Record<string, Uint8Array | string>>,
  { format }: WriteArchiveOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  const sorted = sortFiles(files)
  if (format === 'zip') return writeZip(sorted)
  if (format === 'tar.gz') return writeTar(sorted)
  throw new SkillshelfError('invalid-input', `No archive is written as ${String(format)}`, {
    hint: "give 'zip' or 'tar.gz'",
  })
}

type File = readonly [path: string, bytes: Uint8Array<ArrayBuffer>]

function sortFiles(files: Readonly<Record<string, Uint8Array | string>>): readonly File[] {
  const seen = new Map<string, Uint8Array<ArrayBuffer>>()
  for (const [name, content] of Object.entries(files)) {
    const path = safePath(name)
    if (seen.has(path)) throw new SkillshelfError('invalid-input', `Two files are ${path}`, { subject: path })
    seen.set(path, typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content))
  }
  return [...seen].sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1))
}

function rank(path: string): number {
  return path === 'SKILL.md' ? 0 : 1
}

function writeZip(files: readonly File[]): Uint8Array<ArrayBuffer> {
  // Local noon: zip has no time zone, so the fields are the same everywhere.
  const entry = { ...COMPRESSION, mtime: new Date(1980, 0, 1, 12), os: 3, attrs: 0o100644 * 65_536 }
  const zippable: Zippable = {}
  for (const [path, bytes] of files) {
    if (path === '__proto__')
      throw new SkillshelfError('unsupported', 'A file named __proto__ cannot be written into a zip', {
        subject: path,
        hint: 'write a tar.gz',
      })
    zippable[path] = [bytes, entry]
  }
  return new Uint8Array(zipSync(zippable))
}

async function writeTar(files: readonly File[]): Promise<Uint8Array<ArrayBuffer>> {
  for (const [path] of files)
    if (!fitsUstar(path))
      throw new SkillshelfError('unsupported', `The name ${path} is too long for a tar`, {
        subject: path,
        hint: `a tar takes ${USTAR_NAME} bytes for the last part of a name and ${USTAR_PREFIX} for its folders: write a zip`,
      })
  const tar = await packTar(
    files.map(([name, body]) => ({
      header: { name, size: body.length, type: 'file', mode: 0o644, mtime: new Date(0), uid: 0, gid: 0 },
      body,
    })),
  )
  return new Uint8Array(gzipSync(tar, { ...COMPRESSION, mtime: 0 }))
}

function fitsUstar(path: string): boolean {
  const bytes = new TextEncoder().encode(path)
  if (bytes.length <= USTAR_NAME) return true
  return bytes.some((byte, at) => byte === 0x2f && at > 0 && at <= USTAR_PREFIX && bytes.length - at - 1 <= USTAR_NAME)
}
