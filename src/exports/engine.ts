/**
 * Libraries beyond the memory of one isolate: skills in a search engine, found and ranked as in memory.
 *
 * @packageDocumentation
 * @module skillshelf/engine
 */

export type { PageOptions } from '../library/api/skill-library.js'
export {
  type EngineLibrary,
  type EngineLibraryOptions,
  openEngineLibrary,
} from '../server/engine/engine-library.js'
export { memoryEngine } from '../server/engine/memory-engine.js'
export {
  type PublishToEngineOptions,
  type PublishToEngineResult,
  publishToEngine,
} from '../server/engine/publish.js'
export { type QdrantOptions, qdrant } from '../server/engine/qdrant/qdrant.js'
export type {
  EngineAnswer,
  EngineCandidate,
  EngineFilter,
  EngineListed,
  EngineLookup,
  EngineQuery,
  EngineRow,
  EngineRowState,
  EngineSkill,
  SkillEngine,
} from '../server/engine/skill-engine.js'
