import { errorMessage } from '../core/errors.js'
import type { Diagnostic } from '../skill/diagnostics.js'

/** What is said when a library goes on without a model. */
export function modelDiagnostic(error: unknown, model: string): Diagnostic {
  const message = errorMessage(error)
  return {
    code: 'model-unavailable',
    severity: 'warning',
    message: `The library goes on without ${model}: ${message}`,
    hint: 'skills are found by what is left; try again when it can be loaded',
  }
}
