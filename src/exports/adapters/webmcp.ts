export { registerSkillTools, type WebMcpOptions } from '../../adapters/webmcp.js'
