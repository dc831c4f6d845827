import { errorMessage, isSkillshelfError } from '../core/errors.js'
import { rethrowCallbackError } from '../core/progress.js'
import type { Diagnostic } from '../skill/diagnostics.js'
import type { SkillSource } from '../source/source.js'

/** Reports a source that cannot be read. Rethrows errors of user callbacks. */
export function sourceDiagnostic(source: SkillSource, error: unknown): Diagnostic {
  rethrowCallbackError(error)
  return {
    code: isSkillshelfError(error, 'source-not-found') ? 'source-missing' : 'source-unreadable',
    severity: 'error',
    message: errorMessage(error),
    path: source.name,
  }
}

/**
 * Reports a model that the library works without.
 * @param model Starts the message: `The bundled model`.
 */
export function modelDiagnostic(error: unknown, model: string): Diagnostic {
  return {
    code: 'model-unavailable',
    severity: 'warning',
    message: `${model} is unavailable: ${errorMessage(error)}`,
    hint: 'matching works without it',
  }
}
