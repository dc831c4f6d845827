/** The tools that a model is offered, as plain data. */
export { type SkillTool, skillTools, type ToolResult } from './skill-tools.js'
