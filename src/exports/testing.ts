/**
 * Conformance tests for sources, hostile publishers for setups, and trigger tests for skills. They work with any test runner.
 *
 * @packageDocumentation
 * @module skillshelf/testing
 */

export type { SuiteCase } from '../tools/testing/assertions.js'
export {
  type PublishedSite,
  type PublisherSuiteOptions,
  publisherSuite,
} from '../tools/testing/publisher-suite.js'
export { type SourceSuiteOptions, sourceSuite } from '../tools/testing/source-suite.js'
export type { TriggerCase, TriggerProblem } from '../tools/testing/trigger-case.js'
export { readTriggers } from '../tools/testing/trigger-file.js'
export {
  collectTriggers,
  runTriggers,
  type SkillTriggers,
  type TriggerFile,
  type TriggerOptions,
  type TriggerOutcome,
  type TriggerReport,
  type TriggerSummary,
} from '../tools/testing/triggers.js'
