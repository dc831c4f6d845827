/**
 * Tools beside skills: a library of tool definitions, of which a model is sent only those that it needs.
 *
 * @packageDocumentation
 * @module skillshelf/tools
 */

export { TOOL_SEARCH } from '../agent/tool-shelf/search-call.js'
export { type ToolShelfOptions, toolShelf } from '../agent/tool-shelf/tool-shelf.js'
export type {
  ToolArguments,
  ToolDefinition,
  ToolSearchOptions,
  ToolShelf,
} from '../agent/tool-shelf/types.js'
