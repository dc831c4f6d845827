import { digestOfLarge, isDigest, shortDigest } from '../../core/digest.js'
import { isSkillshelfError, SkillshelfError } from '../../core/errors.js'
import { basename } from '../../core/paths.js'
import type { FileInfo } from '../../skill/skill.js'
import type { ReadResult, SkillSource } from '../../source/source.js'
import type { CatalogEntry } from './catalog-entry.js'

export interface PackedFileInfo extends FileInfo {
  digest: string
}

/** Extensions that packed files keep. A list of what is harmless, because every host has types of its own. */
const INERT =
  /^(?:md|json|txt|csv|tsv|ya?ml|png|jpe?g|gif|webp|avif|bmp|ico|pdf|mp[34]|wav|ogg|webm|woff2?|ttf|otf|zip|t?gz|docx|xlsx|pptx|bin)$/

/** Files of a packed library that are named by their digest. */
export const NAMED_BY_DIGEST =
  /^(?:files\/[0-9a-f]{16}(?:\.[a-z0-9]{1,8})?|[0-9a-f]{16}\.(?:seg|vec))$/

/** `files/<16 hex>.<ext>`. Hosts choose the media type by the extension: one that might be run becomes `txt`. @throws `format` */
export function packedFile(digest: string, path: string): string {
  if (!isDigest(digest)) {
    throw new SkillshelfError(
      'format',
      `${JSON.stringify(digest.slice(0, 80))} is not a sha256 digest`,
      {
        subject: path,
        hint: 'pack the skills again',
      },
    )
  }
  const extension = /\.([a-z0-9]{1,8})$/i.exec(path)?.[1]?.toLowerCase()
  return `files/${shortDigest(digest)}.${extension && INERT.test(extension) ? extension : 'txt'}`
}

/** The paths of a packed skill: its SKILL.md, its details, its other files. */
export function packedFiles(
  { digest, details }: CatalogEntry,
  files: readonly PackedFileInfo[],
): string[] {
  return [
    packedFile(digest, '.md'),
    packedFile(details, '.json'),
    ...files.map(file => packedFile(file.digest, file.path)),
  ]
}

/** Cause of the error of a file that the catalog or listing names and the source lacks. */
const MISSING = Symbol('missing')
/** Attempts while other writers replace what is read. */
const MAX_ATTEMPTS = 10

/** The error of a file that was listed. */
export function noLongerThere({ name }: SkillSource, path: string): SkillshelfError {
  return new SkillshelfError(
    'source-failed',
    `${path} no longer exists in ${name}`,
    { subject: path, hint: 'refresh the library' },
    MISSING,
  )
}

/**
 * Reads files that a catalog or listing names. If one is missing because the library was changed meanwhile, it reads the new one, so that a reader
 * sees the old library or the new one.
 * @param renew Reads the catalog again. Returns whether it has changed.
 */
export async function readCurrent<T>(
  read: () => Promise<T>,
  renew: () => boolean | Promise<boolean>,
): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await read()
    } catch (error) {
      const isMissing = isSkillshelfError(error) && error.cause === MISSING
      if (!isMissing || attempts === MAX_ATTEMPTS || !(await renew())) throw error
    }
  }
}

/** The digest in the name of a file that is named by it, as `readPackedFile` takes it. */
export function digestIn(file: string): string {
  return basename(file).slice(0, 16)
}

/** Whether a file that is named by its digest has the content that its name says. */
export async function hasContentOfName(
  file: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  return shortDigest(await digestOfLarge(bytes)) === digestIn(file)
}

/** Reads a packed file and verifies its digest. @throws SkillshelfError `source-failed` if it is missing or has another digest. */
export async function readPackedFile(
  source: SkillSource,
  file: string,
  digest: string,
  signal?: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const result = await source.read(file, { signal })
  if (result === undefined || result === 'unchanged') {
    throw new SkillshelfError(
      'source-failed',
      `${source.name} has no ${file}`,
      { subject: file, hint: 'upload every file that pack wrote' },
      MISSING,
    )
  }
  return verifyPackedFile(source, file, digest, result)
}

/** @throws SkillshelfError `source-failed` if a whole file of a packed library has another digest. */
export async function verifyPackedFile(
  { name }: SkillSource,
  file: string,
  digest: string,
  { bytes, digest: actual }: ReadResult,
): Promise<Uint8Array<ArrayBuffer>> {
  const found = actual ?? (await digestOfLarge(bytes))
  if (found !== digest && shortDigest(found) !== digest) {
    throw new SkillshelfError('source-failed', `${file} of ${name} does not match its digest`, {
      subject: file,
      hint: 'pack and upload again',
    })
  }
  return bytes
}
