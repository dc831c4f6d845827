import { isRecord } from '../../core/plain-data.js'
import { isSpecName } from '../../skill/specification.js'

/** Files of one skill, with those of nested skills. Clients of the Skills extension accept no more. */
export const MAX_FILES = 512
const MAX_DESCRIPTION = 1_024
const MAX_COMPATIBILITY = 500

/**
 * Finds the reason for which clients of the Skills extension (`io.modelcontextprotocol/skills`) refuse a skill. FastMCP refuses all skills of a
 * page with such a skill.
 * @param name Name of the skill in the library, which the last folder of its URI has.
 * @returns A sentence without a full stop; `undefined` if clients accept the skill.
 */
export function findExtensionProblem(
  fields: Readonly<Record<string, unknown>>,
  name: string,
  files = 1,
): string | undefined {
  const { description, compatibility, metadata } = fields
  const hasOwnName = fields['name'] === name
  if (hasOwnName && !isSpecName(name)) {
    return `the name ${JSON.stringify(name.slice(0, 80))} must be 1-64 lowercase letters, digits and single hyphens`
  }
  if (!hasOwnName) return 'the frontmatter must have a name as text'
  if (typeof description !== 'string' || description.trim() === '') {
    return 'the frontmatter must have a description as text'
  }
  if ([...description].length > MAX_DESCRIPTION) {
    return 'the description is longer than 1,024 characters'
  }
  if (
    compatibility !== undefined &&
    (typeof compatibility !== 'string' ||
      compatibility === '' ||
      [...compatibility].length > MAX_COMPATIBILITY)
  ) {
    return 'compatibility must be a text of 1 to 500 characters'
  }
  for (const field of ['license', 'allowed-tools']) {
    if (fields[field] !== undefined && typeof fields[field] !== 'string') {
      return `${field} must be one text`
    }
  }
  if (
    metadata !== undefined &&
    (!isRecord(metadata) || Object.values(metadata).some(one => typeof one !== 'string'))
  ) {
    return 'metadata must map strings to strings'
  }
  return files > MAX_FILES ? `it has more than ${MAX_FILES} files` : undefined
}
