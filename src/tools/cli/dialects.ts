import { Option } from 'commander'
import { agentCore } from '../../agent/dialects/agent-core.js'
import { manusX } from '../../agent/dialects/manus-x.js'
import { omniEmployee } from '../../agent/dialects/omni-employee.js'
import { openseed } from '../../agent/dialects/openseed.js'
import { tokenDance } from '../../agent/dialects/token-dance.js'
import type { Dialect as SessionDialect } from '../../agent/session/types.js'
import type { Diagnostic, Severity } from '../../skill/diagnostics.js'
import type { SkillMetadata } from '../../skill/skill.js'
import type { SystemRules } from '../../skill/specification.js'

const TOOL_DIALECTS = {
  tokendance: tokenDance,
  openseed,
  manusx: manusX,
  omniemployee: omniEmployee,
  'agent-core': agentCore,
} as const satisfies Record<string, SessionDialect>

/** A system whose tools an MCP server can offer. */
export type ToolDialect = keyof typeof TOOL_DIALECTS
/** A system that defines the frontmatter and folders of skills. `spec`: the specification of agent skills. */
export type Dialect = 'spec' | ToolDialect

export function toolDialectOption(description: string): Option {
  return new Option('--dialect <system>', description).choices(Object.keys(TOOL_DIALECTS))
}

export function dialectOption(description: string): Option {
  return new Option('--dialect <system>', description)
    .choices(['spec', ...Object.keys(TOOL_DIALECTS)])
    .default('spec')
}

/** Options of a session for the `--dialect` option. Without a name, the session has the tools of skillshelf. */
export function sessionOptions(name: ToolDialect | undefined): { dialect?: SessionDialect } {
  return name === undefined ? {} : { dialect: TOOL_DIALECTS[name] }
}

/** `error`: the loader of the system fails without the field. `warning`: its documents require the field, its loader has a default. */
type RequiredFields = Readonly<
  Record<string, { severity: Severity; isMissing(metadata: SkillMetadata): boolean }>
>

const NAME_AND_DESCRIPTION: RequiredFields = {
  name: { severity: 'error', isMissing: ({ inferred }) => inferred?.includes('name') ?? false },
  description: {
    severity: 'error',
    isMissing: ({ inferred }) => inferred?.includes('description') ?? false,
  },
}
const TOKEN_DANCE: RequiredFields = {
  ...NAME_AND_DESCRIPTION,
  version: { severity: 'error', isMissing: ({ version }) => version === undefined },
  display_name: { severity: 'warning', isMissing: ({ displayName }) => displayName === undefined },
  allowed_tools: {
    severity: 'warning',
    isMissing: ({ allowedTools }) => allowedTools === undefined,
  },
}

/** The names and fields of each system that the specification does not have. */
export const SYSTEM_RULES: { readonly [Name in Dialect]?: SystemRules } = {
  tokendance: {
    names: 'snake',
    fields: [
      'display_name',
      'version',
      'author',
      'tags',
      'allowed_tools',
      'max_iterations',
      'timeout',
      'enabled',
    ],
  },
  omniemployee: { fields: ['when_to_use', 'tags'] },
  'agent-core': { names: 'any' },
}

/** Reports the fields that the documents of a system require and a skill lacks. */
export function missingFields(
  dialect: Dialect,
  metadata: SkillMetadata,
  path: string,
): Diagnostic[] {
  if (dialect === 'spec') return []
  const fields = dialect === 'tokendance' ? TOKEN_DANCE : NAME_AND_DESCRIPTION
  return Object.entries(fields)
    .filter(([, { isMissing }]) => isMissing(metadata))
    .map(([field, { severity }]) => {
      const message = `The field "${field}" is missing, which ${dialect} requires`
      return {
        code: 'field-required',
        severity,
        message,
        path,
        hint: `add ${field} to the frontmatter`,
      }
    })
}
