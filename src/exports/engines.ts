/**
 * Libraries beyond the memory of one isolate: skills in a search engine, found and ranked as in memory.
 *
 * @packageDocumentation
 * @module skillshelf/engines
 */

export {
  type EngineLibrary,
  type EngineLibraryOptions,
  openEngineLibrary,
  type PageOptions,
} from '../engine/engine-library.js'
export { memoryEngine } from '../engine/memory-engine.js'
export { type PublishToEngineOptions, type PublishToEngineResult, publishToEngine } from '../engine/publish.js'
export type {
  EngineAnswer,
  EngineCandidate,
  EngineFilter,
  EngineLookup,
  EngineOptions,
  EngineQuery,
  EngineRow,
  EngineRowState,
  EngineSkill,
  SkillEngine,
} from '../engine/types.js'
