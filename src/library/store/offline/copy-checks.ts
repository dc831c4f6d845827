import { errorMessage, isSkillshelfError, SkillshelfError } from '../../../core/errors.js'
import { type CatalogCheck, CHECK, type CheckedSource } from '../../../source/catalog-check.js'
import type { ReadResult, SkillSource } from '../../../source/source.js'

/** The catalog of a copy. */
export interface CopiedCatalog {
  /** As the store has it. */
  stored: ReadResult | undefined
  /** `undefined` if a check refused it: then the copy is replaced as soon as the source can be read. */
  trusted?: ReadResult | undefined
  refusal?: unknown
}

/** What may refuse a catalog, such as a signature that is missing. */
export interface CopyChecks {
  /** The source has run them itself. */
  readonly ofSource: readonly CatalogCheck[]
  /** Those of readers, such as `openLibrary` with `publicKeys`. */
  readonly ofReaders: Set<CatalogCheck>
  /** The catalog of the copy, unless a check refuses it: an earlier version, or a reader without keys, may have stored it. */
  ofCopy(stored: ReadResult | undefined): Promise<CopiedCatalog>
  /** Checks what the source answers, before it replaces anything. @throws SkillshelfError `untrusted` */
  ofAnswer(catalog: Uint8Array<ArrayBuffer> | undefined): Promise<void>
}

export function createCopyChecks(source: SkillSource): CopyChecks {
  const ofSource = (source as CheckedSource)[CHECK] ?? []
  const ofReaders = new Set<CatalogCheck>()
  return {
    ofSource,
    ofReaders,
    async ofCopy(stored) {
      try {
        // S9: nothing unsigned is shown, also from a copy.
        if (stored) {
          for (const check of [...ofSource, ...ofReaders]) {
            await check(stored.bytes, { isCopy: true })
          }
        }
        return { stored, trusted: stored }
      } catch (refusal) {
        if (!isSkillshelfError(refusal, 'untrusted')) throw refusal
        return { stored, refusal }
      }
    },
    async ofAnswer(catalog) {
      // S9: what the source answers is checked before it replaces anything.
      for (const check of ofReaders) await check(catalog, { isCopy: false })
    },
  }
}

/** The error of a refused copy that could not be replaced. */
export function refusedCopy(
  { name }: SkillSource,
  { refusal }: CopiedCatalog,
  failure: unknown,
): SkillshelfError {
  const message = `${errorMessage(refusal)}; it is an offline copy, which cannot be replaced: ${errorMessage(failure)}`
  return new SkillshelfError('untrusted', message, { subject: name }, refusal)
}
