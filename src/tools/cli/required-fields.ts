import type { Diagnostic, Severity } from '../../skill/diagnostics.js'
import type { SkillMetadata } from '../../skill/skill.js'
import type { Dialect } from './template-types.js'

/** `error`: the loader of the system fails without the field. `warning`: its documents require the field, its loader has a default. */
type RequiredFields = Readonly<Record<string, { severity: Severity; isMissing(metadata: SkillMetadata): boolean }>>

const NAME_AND_DESCRIPTION: RequiredFields = {
  name: { severity: 'error', isMissing: ({ inferred }) => inferred?.includes('name') ?? false },
  description: { severity: 'error', isMissing: ({ inferred }) => inferred?.includes('description') ?? false },
}
const TOKEN_DANCE: RequiredFields = {
  ...NAME_AND_DESCRIPTION,
  version: { severity: 'error', isMissing: ({ version }) => version === undefined },
  display_name: { severity: 'warning', isMissing: ({ displayName }) => displayName === undefined },
  allowed_tools: { severity: 'warning', isMissing: ({ allowedTools }) => allowedTools === undefined },
}

/** Reports the fields that the documents of a system require and a skill lacks. */
export function missingFields(dialect: Dialect, metadata: SkillMetadata, path: string): Diagnostic[] {
  if (dialect === 'spec') return []
  const fields = dialect === 'tokendance' ? TOKEN_DANCE : NAME_AND_DESCRIPTION
  return Object.entries(fields).flatMap(([field, { severity, isMissing }]): Diagnostic[] =>
    isMissing(metadata)
      ? [
          {
            code: 'field-required',
            severity,
            message: `The field "${field}" is missing, which ${dialect} requires`,
            path,
            hint: `add ${field} to the frontmatter`,
          },
        ]
      : [],
  )
}
