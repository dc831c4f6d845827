import { errorMessage, isSkillshelfError } from '../../core/errors.js'
import { invokeCallback, rethrowCallbackError } from '../../core/progress.js'
import { showHidden } from '../../core/sanitize.js'
import type { Diagnostic, DiagnosticCode } from '../../skill/diagnostics.js'
import type { SkillSource, WritableSource } from '../../source/source.js'
import { reportUncaught } from '../api/lifetime.js'
import type { LibraryOptions } from '../api/options.js'
import { createLibraryState, type LibraryState, layersOf } from './state.js'

/** Codes of diagnostics that concern a whole source or model, not one skill. */
const CODES: readonly DiagnosticCode[] = [
  'source-missing',
  'source-unreadable',
  'source-untrusted',
  'copy-not-stored',
  'model-unavailable',
  'learned-unreadable',
]

type OnDiagnostic = LibraryOptions['onDiagnostic']

/** Bounds the memory of a process that opens many addresses. */
const MAX_WARNINGS = 100
const warned = new Set<string>()

/** Reports sources and models that cannot be loaded, and an empty library. Default: `console.warn`, once for the same problems. */
export function reportProblems(state: LibraryState, onDiagnostic: OnDiagnostic): void {
  // Not those of the snapshot, which are created on first access.
  const problems = layersOf(state.sources, state.environment)
    .flatMap(({ diagnostics }) => diagnostics)
    .concat(state.diagnostics)
    .filter(({ code }) => CODES.includes(code))
  if (problems.length === 0 && isUnexpectedlyEmpty(state)) problems.push(emptyDiagnostic(state))
  reportDiagnostics(problems, onDiagnostic)
}

/** Adds a problem that a library has while it is in use to its state, and reports it. */
export function addProblem(
  state: LibraryState,
  problem: Diagnostic,
  onDiagnostic: OnDiagnostic,
): LibraryState {
  try {
    reportDiagnostics([problem], onDiagnostic)
  } catch (error) {
    reportUncaught(error)
  }
  const diagnostics = [...state.diagnostics, problem]
  return createLibraryState(state.sources, state.environment, { before: state, diagnostics })
}

/** Reports a source that cannot be read. Rethrows errors of user callbacks. */
export function sourceDiagnostic(source: SkillSource, error: unknown): Diagnostic {
  rethrowCallbackError(error)
  return {
    code: sourceProblem(error),
    severity: 'error',
    message: errorMessage(error),
    path: source.name,
  }
}

function sourceProblem(error: unknown): DiagnosticCode {
  if (isSkillshelfError(error, 'source-not-found')) return 'source-missing'
  if (isSkillshelfError(error, 'untrusted')) return 'source-untrusted'
  return 'source-unreadable'
}

/** @param onDiagnostic Default: one `console.warn`, unless the same problems were printed before. */
export function reportDiagnostics(
  problems: readonly Diagnostic[],
  onDiagnostic: OnDiagnostic,
): void {
  if (onDiagnostic) {
    for (const problem of problems) invokeCallback(onDiagnostic, problem)
  } else if (problems.length > 0) warn(problems)
}

/** An environment may be empty, and a writable source: its skills are installed later. */
function isUnexpectedlyEmpty({ sources, environment, showsAll, snapshot }: LibraryState): boolean {
  if (environment !== undefined || sources.some(({ source }) => isWritable(source))) return false
  // The skills of a snapshot that shows all are lazy, so they are not counted here.
  if (showsAll) return sources.every(({ loaded }) => loaded.segments.length === 0)
  return snapshot.skills.length === 0
}

function isWritable(source: SkillSource & Partial<Pick<WritableSource, 'write'>>): boolean {
  return source.write !== undefined
}

function emptyDiagnostic({ sources, snapshot }: LibraryState): Diagnostic {
  const [first] = snapshot.diagnostics
  const names = sources.map(({ source }) => source.root?.('') || source.name).join(', ')
  const message = `No skill found${names && ` in ${names}`}${first ? `: ${first.message}` : ''}`
  const hint =
    first?.hint ??
    'a skill is a folder with a SKILL.md; check the address, the path or the glob pattern'
  return { code: 'library-empty', severity: 'warning', message, hint }
}

/** Prints a problem of a call that has no listener for it. */
export function warnOf({ message, hint }: Diagnostic): void {
  // S5: a message may quote a server or a file name.
  console.warn(`skillshelf: ${showHidden(`${message} (${hint})`)}`)
}

function warn(problems: readonly Diagnostic[]): void {
  const text = problems
    .map(({ message, hint }) => (hint ? `${message} (${hint})` : message))
    .join('\n')
  if (warned.has(text) || warned.size === MAX_WARNINGS) return
  warned.add(text)
  console.warn(`skillshelf: ${showHidden(text)}`)
}
