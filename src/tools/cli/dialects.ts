import { agentCore } from '../../agent/dialects/agent-core.js'
import { manusX } from '../../agent/dialects/manus-x.js'
import { omniEmployee } from '../../agent/dialects/omni-employee.js'
import { openseed } from '../../agent/dialects/openseed.js'
import { tokenDance } from '../../agent/dialects/token-dance.js'
import type { Dialect } from '../../agent/session/types.js'
import type { Dialect as DialectName } from './template-types.js'

/** A system whose tools an MCP server can offer. */
export type ToolDialect = Exclude<DialectName, 'spec'>

const DIALECTS: Readonly<Record<ToolDialect, Dialect>> = {
  tokendance: tokenDance,
  openseed,
  manusx: manusX,
  omniemployee: omniEmployee,
  'agent-core': agentCore,
}

/** Options of a session for the `--dialect` option. Without a name, the session has the tools of skillshelf. */
export function sessionOptions(name: ToolDialect | undefined): { dialect?: Dialect } {
  return name === undefined ? {} : { dialect: DIALECTS[name] }
}
