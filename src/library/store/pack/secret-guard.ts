import { onDemand } from '../../../core/load-module.js'
import { joinPath } from '../../../core/paths.js'
import type { Secret } from '../../../core/secrets/find-secret.js'
import type { Diagnostic } from '../../../skill/diagnostics.js'

// A page that opens libraries does not pay for it.
const loadSecrets = onDemand(() => import('../../../core/secrets/find-secret.js'))

/** What happens to a file that looks like a secret. */
export type SecretPolicy = 'refuse' | 'leave-out' | 'keep'

/** Examines files before they leave, and remembers the secrets that it found. */
export interface SecretGuard {
  /** Whether a file looks like a secret that `allow` does not name. `undefined` with policy `keep`. Not remembered. */
  examine(path: string, bytes: Uint8Array): Secret | undefined
  /** Remembers a secret that was found. */
  report(secret: Secret): void
  /** Examines the files of a skill and reports their secrets. */
  check(folder: string, files: readonly { path: string; bytes: Uint8Array }[]): void
  /** @throws SkillshelfError `invalid-input` with every reported secret, if they are refused */
  throwIfRefused(): void
  /** Says which files were left out. */
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
  const examine = (path: string, bytes: Uint8Array): Secret | undefined =>
    policy === 'keep' || isAllowed(path) ? undefined : findSecret(path, bytes)
  return {
    examine,
    report: secret => void found.push(secret),
    check(folder, files) {
      for (const { path, bytes } of files) {
        const secret = examine(joinPath(folder, path), bytes)
        if (secret) found.push(secret)
      }
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
