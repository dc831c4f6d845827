/**
 * Conformance tests for sources, libraries and engines, and trigger tests for skills. They work with any test runner.
 *
 * @packageDocumentation
 * @module skillshelf/testing
 */

export type { SuiteCase } from '../testing/assertions.js'
export { engineSuite } from '../testing/engine-suite.js'
export { librarySuite } from '../testing/library-suite.js'
export { type SourceSuiteOptions, sourceSuite } from '../testing/source-suite.js'
export { readTriggers, type TriggerCase, type TriggerProblem } from '../testing/trigger-file.js'
export {
  collectTriggers,
  runTriggers,
  type TriggerFile,
  type TriggerOptions,
  type TriggerOutcome,
  type TriggerReport,
  type TriggerSummary,
} from '../testing/triggers.js'
