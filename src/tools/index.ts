/** The tools that a model is offered, as plain data. */
export { callTool } from './call.js'
export type { SkillTool, ToolResult } from './types.js'
