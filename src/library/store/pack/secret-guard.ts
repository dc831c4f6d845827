import type { AbortOptions } from '../../../core/abort.js'
import { mapParallel, PARALLEL_READS } from '../../../core/concurrency.js'
import { throwIfAborted } from '../../../core/errors.js'
import { onDemand } from '../../../core/load-module.js'
import { joinPath } from '../../../core/paths.js'
import type { Secret } from '../../../core/secrets/find-secret.js'
import type { Diagnostic } from '../../../skill/diagnostics.js'
import type { ListableSource } from '../../../source/source.js'
import { discoverSkills } from '../../catalog/discover.js'

// A page that opens libraries does not pay for it.
const loadSecrets = onDemand(() => import('../../../core/secrets/find-secret.js'))

/** What happens to a file that looks like a secret. */
export type SecretPolicy = 'refuse' | 'leave-out' | 'keep'

export interface SecretGuard {
  /** The files of a skill that may leave. */
  check<File extends { path: string; bytes: Uint8Array }>(
    folder: string,
    files: readonly File[],
  ): readonly File[]
  /** True once a file was found that stops the task. */
  readonly isRefused: boolean
  /** @throws SkillshelfError `invalid-input` with every file that was found */
  throwIfRefused(): void
  /** Reports the files that were left out. */
  readonly diagnostics: readonly Diagnostic[]
}

/** S10: examines the files of skills before they are packed, installed or served. @throws SkillshelfError `invalid-input`, `invalid-path` */
export async function createSecretGuard({
  secrets: policy = 'refuse',
  allow,
}: {
  secrets?: SecretPolicy | undefined
  allow?: readonly string[] | undefined
}): Promise<SecretGuard> {
  const { allowedPaths, findSecret, secretLine, secretsError } = await loadSecrets()
  const isAllowed = allowedPaths(allow)
  const found: Secret[] = []
  return {
    check: (folder, files) =>
      files.filter(({ path, bytes }) => {
        if (policy === 'keep') return true
        const whole = joinPath(folder, path)
        const secret = isAllowed(whole) ? undefined : findSecret(whole, bytes)
        if (secret) found.push(secret)
        return !secret
      }),
    get isRefused() {
      return policy === 'refuse' && found.length > 0
    },
    throwIfRefused() {
      if (policy === 'refuse' && found.length > 0) throw secretsError(found)
    },
    get diagnostics() {
      return found.map((secret): Diagnostic => {
        const { path, line } = secret
        return {
          code: 'secret-left-out',
          severity: 'error',
          message: `${secretLine(secret)}, so it was left out`,
          path,
          ...(line === undefined ? {} : { line }),
          hint: 'remove it, or name it with --allow or `allow` if it is meant',
        }
      })
    },
  }
}

/** Finds the secrets in the skills of a source, without packing them. @throws SkillshelfError `invalid-input` with every file */
export async function refuseSecrets(
  source: ListableSource,
  { allow, signal }: AbortOptions & { allow?: readonly string[] | undefined },
): Promise<void> {
  const guard = await createSecretGuard({ allow })
  const { folders } = discoverSkills(await source.list({ signal }))
  const paths = folders.flatMap(({ path, file, files }) => [
    file.path,
    ...files.map(one => joinPath(path, one.path)),
  ])
  await mapParallel(paths, PARALLEL_READS, async path => {
    // A file that cannot be read is reported by what packs it.
    const found = await source.read(path, { signal }).catch(() => undefined)
    throwIfAborted(signal)
    if (typeof found === 'object') guard.check('', [{ path, bytes: found.bytes }])
  })
  guard.throwIfRefused()
}
