import { type AbortOptions, sleep } from '../../core/abort.js'
import { isSkillshelfError, SkillshelfError } from '../../core/errors.js'
import { isCount, isRecord, parseJson } from '../../core/plain-data.js'
import type { Diagnostic } from '../../skill/diagnostics.js'
import { CATALOG_FILE } from '../../source/catalog-file.js'
import type { Changes, SkillSource, WritableSource } from '../../source/source.js'

export const HEAD_FORMAT = 'skillshelf-engine/1'

/** The published state of a library behind an engine: its `skillshelf.json`. Writing it is what publishes a revision. */
export interface EngineHead {
  format: typeof HEAD_FORMAT
  /** Name of the library in its engine. */
  library: string
  /** Counts up with each publish. 0: nothing is published yet. */
  revision: number
  /** The publish that put the revision. */
  attempt: string
  /** Changes with any skill. */
  content: string
  skills: number
  /** Problems of the skills that were published or left out, the first 100. */
  diagnostics?: readonly Diagnostic[]
  /** Model of the vectors; absent without vectors. */
  space?: string
  dimensions: number
  /** Digest of the counts file. */
  counts: string
  /** Digest of the counts file of the revision before, which slow readers may still open. */
  previousCounts?: string
  /** When the revision was published, in ISO 8601. */
  published: string
  /** A publish that is running or was interrupted. */
  pending?: {
    revision: number
    /** The content that is being published: the same content may go on. */
    content: string
    /** It goes on with the rows of this attempt. */
    attempt: string
    /** When it last made progress, in ISO 8601. */
    active: string
  }
}

/** Milliseconds. */
const RETRY_DELAY = 1_100
const MAX_RETRIES = 3

/** The head of a library before its first publish. */
export const UNPUBLISHED_HEAD: EngineHead = {
  format: HEAD_FORMAT,
  library: '',
  revision: 0,
  attempt: '',
  content: '',
  skills: 0,
  dimensions: 0,
  counts: '',
  published: '',
}

/** Reads the head, `'unchanged'` if it has this version, `undefined` if nothing is published. @throws `format`, `source-failed` */
export async function readHead(
  files: SkillSource,
  options: { ifVersion?: string | undefined } & AbortOptions = {},
): Promise<{ head: EngineHead; version: string | undefined } | 'unchanged' | undefined> {
  const result = await files.read(CATALOG_FILE, options)
  if (result === undefined || result === 'unchanged') return result
  const head = parseHead(result.bytes)
  if (!head) {
    throw new SkillshelfError(
      'format',
      `${CATALOG_FILE} of ${files.name} is not the head of a library in an engine`,
      {
        subject: CATALOG_FILE,
        hint: 'publish with publishToEngine, into a folder of its own',
      },
    )
  }
  return { head, version: result.version }
}

/** Writes files, then the head if it still has `version` (`null`: no head). Returns the new version. @throws SkillshelfError `conflict` */
export async function writeHead(
  files: WritableSource,
  head: EngineHead,
  version: string | null,
  { put = {}, remove = [], signal }: Changes & AbortOptions = {},
): Promise<string> {
  const bytes = new TextEncoder().encode(`${JSON.stringify(head, null, 2)}\n`)
  const changes = { put: { ...put, [CATALOG_FILE]: bytes }, remove }
  let retries = 0
  let isWritten = false
  while (!isWritten) {
    try {
      await files.write(changes, { ifVersion: version, signal })
      isWritten = true
    } catch (error) {
      // R2 refuses a second write within a second in the same way as a conflict.
      const isConflict = isSkillshelfError(error, 'conflict')
      if (
        retries === MAX_RETRIES ||
        !isConflict ||
        ((await headVersion(files, signal)) ?? null) !== version
      ) {
        throw error
      }
      retries++
      await sleep(RETRY_DELAY, signal)
    }
  }
  const stored = await headVersion(files, signal)
  if (stored !== undefined) return stored
  throw new SkillshelfError(
    'source-failed',
    `${files.name} has no versions, so a publish cannot be safe`,
    {
      subject: files.name,
    },
  )
}

export async function headVersion(
  files: SkillSource,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const found = await files.read(CATALOG_FILE, { signal })
  return typeof found === 'object' ? found.version : undefined
}

function parseHead(bytes: Uint8Array): EngineHead | undefined {
  const data = parseJson(bytes)
  if (!isRecord(data) || data['format'] !== HEAD_FORMAT) return undefined
  const {
    library,
    revision,
    attempt,
    content,
    skills,
    space,
    dimensions,
    counts,
    published,
    diagnostics,
  } = data
  const isValid =
    [library, attempt, content, counts, published].every(value => typeof value === 'string') &&
    [revision, skills, dimensions].every(isCount) &&
    (space === undefined || typeof space === 'string') &&
    (diagnostics === undefined || (Array.isArray(diagnostics) && diagnostics.every(isRecord)))
  return isValid ? (data as unknown as EngineHead) : undefined
}
