/**
 * Skills behind a server of the Model Context Protocol. Needs `@modelcontextprotocol/client`.
 *
 * @packageDocumentation
 * @module skillshelf/sources/mcp
 */

export { type McpOptions, mcp } from '../../source/mcp/mcp.js'
export type {
  FileEntry,
  ListableSource,
  ListOptions,
  ReadOptions,
  ReadResult,
} from '../../source/source.js'
