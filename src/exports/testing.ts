/**
 * What every source and every library must do, as data: `{ name, run }`, tied to no test runner.
 *
 *     import { it } from 'vitest'                                  // or: import { it } from 'node:test'
 *     import { sourceSuite } from 'skillshelf/testing'
 *     for (const { name, run } of sourceSuite(async files => ({ source: await mySource(files) }))) {
 *       it(name, run)
 *     }
 */
export type { SuiteCase } from '../testing/assertions.js'
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
