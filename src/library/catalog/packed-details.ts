import { looksLikeDigest } from '../../core/digest.js'
import { SkillshelfError } from '../../core/errors.js'
import { trySafePath } from '../../core/paths.js'
import { isCount, isRecord, isStrings, parseJson } from '../../core/plain-data.js'
import { readDiagnostics } from '../../skill/diagnostics.js'
import { METADATA_FIELDS, type MetadataType } from '../../skill/fields.js'
import type { SkillDetails, SkillMetadata } from '../../skill/skill.js'
import type { SkillSource } from '../../source/source.js'
import type { CatalogEntry } from './catalog-entry.js'
import { type PackedFileInfo, packedFile, readPackedFile } from './packed-files.js'

/** The details of a packed skill, which have the digest of each file. */
export interface PackedDetails extends SkillDetails {
  files: PackedFileInfo[]
}

/** Reads the details of a packed skill. @throws SkillshelfError `source-failed` if they are missing or changed, `format` */
export async function readPackedDetails(
  source: SkillSource,
  entry: CatalogEntry,
  signal?: AbortSignal,
): Promise<PackedDetails> {
  const bytes = await readPackedFile(
    source,
    packedFile(entry.details, '.json'),
    entry.details,
    signal,
  )
  return parsePackedDetails(bytes, entry, source)
}

/** @throws SkillshelfError `format` */
export function parsePackedDetails(
  bytes: Uint8Array,
  entry: CatalogEntry,
  source: SkillSource,
): PackedDetails {
  const details = readDetails(new TextDecoder().decode(bytes))
  if (!details) {
    throw new SkillshelfError(
      'format',
      `The details of ${entry.path} in ${source.name} are not valid`,
      {
        subject: entry.path,
        hint: 'pack and upload again',
      },
    )
  }
  return details
}

/** A matching digest proves that the text is unchanged, not that it was valid. */
export function readDetails(text: string): PackedDetails | undefined {
  const data = parseJson(text)
  if (!isRecord(data)) return undefined
  const { metadata, frontmatter, file, files, messages, notMessages, diagnostics } = data
  if (!isMetadata(metadata)) return undefined
  if (
    typeof frontmatter !== 'string' ||
    typeof file !== 'string' ||
    file.toLowerCase() !== 'skill.md'
  ) {
    return undefined
  }
  if (!Array.isArray(files) || !files.every(isPackedFileInfo)) return undefined
  return {
    metadata,
    frontmatter,
    file,
    files,
    ...(isStrings(messages) ? { messages } : {}),
    ...(isStrings(notMessages) ? { notMessages } : {}),
    diagnostics: readDiagnostics(diagnostics),
  }
}

/** Whether a value has the type of a field. */
const HAS_TYPE: { readonly [Type in MetadataType]: (value: unknown) => boolean } = {
  text: value => typeof value === 'string',
  texts: isStrings,
  number: value => Number.isFinite(value) && Number(value) > 0,
  flag: value => typeof value === 'boolean',
  languages: value => isRecord(value) && isStrings(Object.values(value)),
}

/** A field of another type would fail in a session. Without `allowedTools`, a skill would be allowed every tool. */
function isMetadata(value: unknown): value is SkillMetadata {
  return (
    isRecord(value) &&
    'name' in value &&
    'description' in value &&
    Object.entries(METADATA_FIELDS).every(
      ([key, { type }]) => value[key] === undefined || HAS_TYPE[type](value[key]),
    )
  )
}

function isPackedFileInfo(value: unknown): value is PackedFileInfo {
  if (!isRecord(value)) return false
  const { path, size, digest } = value
  if (typeof path !== 'string' || trySafePath(path) !== path) return false
  return (size === undefined || isCount(size)) && looksLikeDigest(digest)
}
