import { isRecord } from '../core/record.js'
import type { Diagnostic, Severity } from './diagnostics.js'
import type { SkillMetadata } from './types.js'
import type { FrontmatterFields } from './yaml.js'

const SPECIFIED = new Set(['name', 'description', 'license', 'compatibility', 'metadata', 'allowed-tools'])

/** True for a name the Agent Skills specification allows: 1-64 of a-z, 0-9 and hyphen, no hyphen first, last or doubled. */
export function isSpecName(name: string): boolean {
  return name.length <= 64 && /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name)
}

/** A name as a folder, at most 64 characters; `''` where nothing of it can stay. `anyScript`: letters of every script stay, else a-z and 0-9. */
export function slugify(name: string, separator: '-' | '_' = '-', anyScript = false): string {
  const plain = anyScript ? name.normalize('NFC') : name.normalize('NFKD').replace(/\p{M}/gu, '')
  const slug = plain
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .replace(anyScript ? /[^\p{L}\p{M}\p{N}]+/gu : /[^a-z0-9]+/g, separator)
    .slice(0, 64)
  return slug.replace(/^[-_]+|[-_]+$/g, '')
}

/**
 * What breaks the Agent Skills specification (https://agentskills.io/specification), as warnings, or errors when strict.
 * Unknown fields are info, errors when strict.
 */
export function checkSpecification(
  metadata: SkillMetadata,
  fields: FrontmatterFields,
  folder: string | undefined,
  line: number,
  strict: boolean,
): Diagnostic[] {
  const diagnostics: Diagnostic[] = []
  const report = (code: Diagnostic['code'], severity: Severity, message: string, hint: string): void => {
    diagnostics.push({ code, severity: strict ? 'error' : severity, message, line, hint })
  }
  const { name, description, compatibility } = metadata
  const own = (key: 'name' | 'description'): boolean => !metadata.inferred?.includes(key)

  if (own('name') && !isSpecName(name))
    report(
      'name-invalid',
      'warning',
      `The name ${JSON.stringify(name.slice(0, 80))} is not 1-64 lower-case letters, digits and single hyphens`,
      `rename it, for example ${slugify(name.slice(0, 200)) || 'data-analysis'}`,
    )
  if (own('name') && folder !== undefined && folder !== '' && name !== folder)
    report(
      'name-not-folder',
      'warning',
      `The name ${JSON.stringify(name.slice(0, 80))} is not the folder's, ${JSON.stringify(folder)}`,
      'give both the same name',
    )
  if (own('description') && description.length > 1024)
    report(
      'description-length',
      'warning',
      `The description has ${description.length} characters; 1,024 are allowed`,
      'move detail into the body',
    )
  if (compatibility !== undefined && (compatibility.length === 0 || compatibility.length > 500))
    report(
      'compatibility-length',
      'warning',
      `compatibility has ${compatibility.length} characters; 1 to 500 are allowed`,
      'shorten it',
    )

  const { values } = fields
  const nested = values['metadata']
  if (
    nested !== undefined &&
    nested !== null &&
    (!isRecord(nested) || Object.values(nested).some(value => typeof value !== 'string'))
  ) {
    report('metadata-not-strings', 'info', 'metadata is not a map of text to text', 'quote its values')
  }
  if (values['allowed-tools'] !== undefined && typeof values['allowed-tools'] !== 'string')
    report(
      'allowed-tools-form',
      'info',
      'allowed-tools is not one text separated by blanks',
      'write it on one line: Read Bash(git:*)',
    )
  const unknown = Object.keys(values).filter(key => !SPECIFIED.has(key))
  if (unknown.length > 0)
    report(
      'unknown-field',
      'info',
      `Not in the specification: ${unknown.slice(0, 8).join(', ')}`,
      'put them under metadata',
    )
  return diagnostics
}
