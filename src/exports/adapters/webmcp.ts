/**
 * Tools of a page for the agent in the browser.
 *
 * @packageDocumentation
 * @module skillshelf/adapters/webmcp
 */

export { registerSkillTools, type WebMcpOptions } from '../../agent/adapters/webmcp.js'
