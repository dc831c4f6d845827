import { isRecord } from '../core/plain-data.js'
import { shortenMarks } from '../core/text/fold.js'
import type { Diagnostic, DiagnosticCode, Severity } from './diagnostics.js'
import { recommendedSpelling } from './fields.js'
import { similarField } from './similar-field.js'
import type { SkillMetadata } from './skill.js'
import type { FrontmatterFields } from './yaml.js'

const SPECIFIED_FIELDS = new Set(['name', 'description', 'license', 'compatibility', 'metadata', 'allowed-tools'])
/** Fields of Claude Code and OpenClaw. Other hosts ignore them, as intended. */
const HOST_FIELDS = new Set([
  ...[
    'agent',
    'argument-hint',
    'arguments',
    'context',
    'disable-model-invocation',
    'effort',
    'hooks',
    'model',
    'paths',
  ],
  ...['shell', 'user-invocable', 'when_to_use', 'command-arg-mode', 'command-dispatch', 'command-tool', 'homepage'],
])

/** True for a name that the Agent Skills specification allows: 1-64 characters of a-z, 0-9 and single inner hyphens. */
export function isSpecName(name: string): boolean {
  return name.length <= 64 && /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name)
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

/** What a system allows beyond the specification. */
export interface SystemRules {
  /** `snake`: underscores in names. `any`: every name, because the folder is the id. */
  names?: 'snake' | 'any' | undefined
  /** Fields of its own. */
  fields?: readonly string[] | undefined
}

/** Checks metadata against the Agent Skills specification (https://agentskills.io/specification). */
export function checkSpecification(
  metadata: SkillMetadata,
  { fields, folder, lineOf, strict, allows: { names, fields: ownFields = [] } = {} }: SpecificationContext,
): Diagnostic[] {
  const diagnostics: Diagnostic[] = []
  const report: Report = (code, severity, field, message, hint) => {
    diagnostics.push({ code, severity: strict ? 'error' : severity, message, line: lineOf(field), hint })
  }
  const { name, description, compatibility } = metadata
  const own = (key: 'name' | 'description'): boolean => !metadata.inferred?.includes(key)

  if (own('name') && names !== 'any' && !isSpecName(names === 'snake' ? name.replaceAll('_', '-') : name))
    report(
      'name-invalid',
      'warning',
      'name',
      `The name ${JSON.stringify(name.slice(0, 80))} must be 1-64 lowercase letters, digits and single hyphens`,
      `rename it, for example to ${slugify(name.slice(0, 200)) || 'data-analysis'}`,
    )
  if (own('name') && names !== 'any' && folder !== undefined && folder !== '' && name !== folder)
    report(
      'name-not-folder',
      'warning',
      'name',
      `The name ${JSON.stringify(name.slice(0, 80))} differs from the folder name ${JSON.stringify(folder)}`,
      'use the same name for both',
    )
  if (own('description') && description.length > 1024)
    report(
      'description-length',
      'warning',
      'description',
      `The description has ${description.length.toLocaleString('en')} characters; at most 1,024 are allowed`,
      'move details into the instructions',
    )
  if (compatibility !== undefined && (compatibility.length === 0 || compatibility.length > 500))
    report(
      'compatibility-length',
      'warning',
      'compatibility',
      `compatibility has ${compatibility.length} characters; 1 to 500 are allowed`,
      compatibility === '' ? 'remove the field' : 'shorten it',
    )

  const { values } = fields
  const nested = values['metadata']
  if (
    nested !== undefined &&
    nested !== null &&
    (!isRecord(nested) || Object.values(nested).some(value => typeof value !== 'string'))
  ) {
    report('metadata-not-strings', 'info', 'metadata', 'metadata must map strings to strings', 'quote its values')
  }
  if (values['allowed-tools'] !== undefined && typeof values['allowed-tools'] !== 'string')
    report(
      'allowed-tools-form',
      'info',
      'allowed-tools',
      'allowed-tools must be one string, separated by spaces',
      'write it on one line, such as allowed-tools: Read Bash(git:*)',
    )
  const unknown = Object.keys(values).filter(
    key =>
      !SPECIFIED_FIELDS.has(key) &&
      !ownFields.includes(key) &&
      (strict || !HOST_FIELDS.has(key)) &&
      !reportMisspelled(key, values, report),
  )
  if (unknown.length > 0)
    report(
      'unknown-field',
      'info',
      unknown[0] as string,
      `Not defined by the specification: ${unknown.slice(0, 8).join(', ')}`,
      'move them under metadata',
    )
  return diagnostics
}

/** The field of the specification or of a host that a field is another spelling of, such as `name` for `Name`. */
export function specifiedSpelling(field: string): string | undefined {
  const spelling = recommendedSpelling(field)
  return spelling !== undefined && spelling !== field && isRead(spelling) ? spelling : undefined
}

/** Whether other systems read a field. */
const isRead = (field: string): boolean => SPECIFIED_FIELDS.has(field) || HOST_FIELDS.has(field)

type Report = (code: DiagnosticCode, severity: Severity, field: string, message: string, hint: string) => void

/** Reports a field that is another spelling of a specified field, or similar to a known field. Returns whether it is. */
function reportMisspelled(field: string, values: Readonly<Record<string, unknown>>, report: Report): boolean {
  const spelling = recommendedSpelling(field)
  const meant = spelling ?? similarField(field)
  if (meant === undefined || Object.hasOwn(values, meant)) return false
  if (spelling === undefined) {
    const message = `The field ${JSON.stringify(field)} is unknown and not read`
    report('field-misspelled', 'warning', field, message, `did you mean ${meant}?`)
    return true
  }
  if (!isRead(meant)) return false
  const severity = meant === 'name' || meant === 'description' ? 'warning' : 'info'
  report('field-misspelled', severity, field, `${field} is read as ${meant}, but not by every system`, `write ${meant}`)
  return true
}
