import { isRecord } from '../core/plain-data.js'
import { shortenMarks } from '../core/text/fold.js'
import { misspelledName } from '../core/text/nearest-name.js'
import type { Diagnostic, DiagnosticCode, Severity } from './diagnostics.js'
import { FIELD_NAMES, isDescriptionField, recommendedSpelling } from './fields.js'
import type { SkillMetadata } from './skill.js'
import type { FrontmatterFields } from './yaml-document.js'

const SPECIFIED_FIELDS = new Set([
  'name',
  'description',
  'license',
  'compatibility',
  'metadata',
  'allowed-tools',
])
/** Fields of Claude Code and OpenClaw. Other hosts ignore them, as intended. */
const HOST_FIELDS = new Set(
  (
    'agent argument-hint arguments context disable-model-invocation effort hooks model paths shell user-invocable ' +
    'when_to_use command-arg-mode command-dispatch command-tool homepage'
  ).split(' '),
)

const KNOWN_FIELDS = [...new Set([...FIELD_NAMES, 'metadata'])]
/** One letter less than the shortest known field. */
const MIN_SIMILAR = 3
const MAX_SIMILAR = 32

/** True for a name that the Agent Skills specification allows: 1-64 characters of a-z, 0-9 and single inner hyphens, or another separator. */
export function isSpecName(name: string, separator: '-' | '_' = '-'): boolean {
  return name.length <= 64 && name.split(separator).every(word => /^[a-z0-9]+$/.test(word))
}

/** Converts a name to a folder name of at most 64 characters, `''` if none can be kept. `anyScript` keeps letters of every script. */
export function slugify(name: string, separator: '-' | '_' = '-', anyScript = false): string {
  const short = shortenMarks(name)
  const plain = anyScript ? short.normalize('NFC') : short.normalize('NFKD').replace(/\p{M}/gu, '')
  const slug = plain
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .replace(anyScript ? /[^\p{L}\p{M}\p{N}]+/gu : /[^a-z0-9]+/g, separator)
    .slice(0, 64)
  return slug.replace(/^[-_]+|[-_]+$/g, '')
}

export interface SpecificationContext {
  fields: FrontmatterFields
  folder: string | undefined
  /** The 1-based line of a field. */
  lineOf(field: string): number
  /** Report every deviation as an error. */
  strict: boolean
  allows?: SystemRules | undefined
}

/** Rules of a system that allows more than the specification. */
export interface SystemRules {
  /** `snake`: underscores in names, for hyphens. `any`: every name, because the folder is the id. */
  names?: 'snake' | 'any' | undefined
  /** Fields of its own. */
  fields?: readonly string[] | undefined
}

/** Checks metadata against the Agent Skills specification (https://agentskills.io/specification). */
export function checkSpecification(
  metadata: SkillMetadata,
  {
    fields,
    folder,
    lineOf,
    strict,
    allows: { names, fields: ownFields = [] } = {},
  }: SpecificationContext,
): Diagnostic[] {
  const diagnostics: Diagnostic[] = []
  const report: Report = (code, { field, severity, message, hint }) => {
    diagnostics.push({
      code,
      severity: strict ? 'error' : severity,
      message,
      line: lineOf(field),
      hint,
    })
  }
  const { name, description, compatibility } = metadata

  const shown = JSON.stringify(name.slice(0, 80))
  const isNameChecked = names !== 'any' && !metadata.inferred?.includes('name')
  const [separator, separators] =
    names === 'snake' ? (['_', 'underscores'] as const) : (['-', 'hyphens'] as const)
  if (isNameChecked && !isSpecName(name, separator)) {
    const message = `The name ${shown} must be 1-64 lowercase letters, digits and single ${separators}`
    const example = slugify(name.slice(0, 200), separator) || `data${separator}analysis`
    const hint = `rename it, for example to ${example}`
    report('name-invalid', { field: 'name', severity: 'warning', message, hint })
  }
  if (isNameChecked && folder !== undefined && folder !== '' && name !== folder) {
    const message = `The name ${shown} differs from the folder name ${JSON.stringify(folder)}`
    const hint = 'use the same name for both'
    report('name-not-folder', { field: 'name', severity: 'warning', message, hint })
  }
  if (!metadata.inferred?.includes('description') && description.length > 1024) {
    const message = `The description has ${description.length.toLocaleString('en')} characters; at most 1,024 are allowed`
    const hint = 'move details into the instructions'
    report('description-length', { field: 'description', severity: 'warning', message, hint })
  }
  if (compatibility !== undefined && (compatibility.length === 0 || compatibility.length > 500)) {
    const message = `compatibility has ${compatibility.length} characters; 1 to 500 are allowed`
    const hint = compatibility === '' ? 'remove the field' : 'shorten it'
    report('compatibility-length', { field: 'compatibility', severity: 'warning', message, hint })
  }

  const { values } = fields
  const nested = values['metadata'] ?? {}
  if (!isRecord(nested) || Object.values(nested).some(value => typeof value !== 'string')) {
    const message = 'metadata must map strings to strings'
    report('metadata-not-strings', {
      field: 'metadata',
      severity: 'info',
      message,
      hint: 'quote its values',
    })
  }
  if (values['allowed-tools'] !== undefined && typeof values['allowed-tools'] !== 'string') {
    const message = 'allowed-tools must be one string, separated by spaces'
    const hint = 'write it on one line, such as allowed-tools: Read Bash(git:*)'
    report('allowed-tools-form', { field: 'allowed-tools', severity: 'info', message, hint })
  }
  const unknown = Object.keys(values).filter(
    key =>
      !SPECIFIED_FIELDS.has(key) &&
      !ownFields.includes(key) &&
      (strict || !HOST_FIELDS.has(key)) &&
      !reportMisspelled(key, values, report),
  )
  if (unknown[0] !== undefined) {
    const message = `Not defined by the specification: ${unknown.slice(0, 8).join(', ')}`
    report('unknown-field', {
      field: unknown[0],
      severity: 'info',
      message,
      hint: 'move them under metadata',
    })
  }
  return diagnostics
}

/** The field of the specification or of a host that a field is another spelling of, such as `name` for `Name`. */
export function specifiedSpelling(field: string): string | undefined {
  const spelling = recommendedSpelling(field)
  return spelling !== undefined && spelling !== field && isRead(spelling) ? spelling : undefined
}

/** Whether other systems read a field. */
const isRead = (field: string): boolean => SPECIFIED_FIELDS.has(field) || HOST_FIELDS.has(field)

/** A deviation from the specification. */
interface Deviation {
  /** The field whose line the diagnostic names. */
  field: string
  /** Its severity unless the check is strict. */
  severity: Severity
  message: string
  hint: string
}

type Report = (code: DiagnosticCode, deviation: Deviation) => void

/** Reports a field that is another spelling of a specified field, or similar to a known field. Returns whether it is. */
function reportMisspelled(
  field: string,
  values: Readonly<Record<string, unknown>>,
  report: Report,
): boolean {
  const spelling = recommendedSpelling(field)
  if (isDescriptionField(field)) return false
  const meant = spelling ?? similarField(field)
  if (meant === undefined || Object.hasOwn(values, meant)) return false
  if (spelling === undefined) {
    const message = `The field ${JSON.stringify(field)} is unknown and not read`
    report('field-misspelled', {
      field,
      severity: 'warning',
      message,
      hint: `did you mean ${meant}?`,
    })
    return true
  }
  if (!isRead(meant)) return false
  const severity = meant === 'name' || meant === 'description' ? 'warning' : 'info'
  const message = `${field} is read as ${meant}, but not by every system`
  report('field-misspelled', { field, severity, message, hint: `write ${meant}` })
  return true
}

/** The known field that an unknown one probably misspells: other case, one wrong or swapped letter, or two in a long name. */
function similarField(key: string): string | undefined {
  if (key.length < MIN_SIMILAR || key.length > MAX_SIMILAR || KNOWN_FIELDS.includes(key)) {
    return undefined
  }
  return misspelledName(key, KNOWN_FIELDS)
}
