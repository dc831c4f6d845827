/**
 * Spans of what a session does.
 *
 * @packageDocumentation
 * @module skillshelf/devtools
 */

export { type SkillTracer, traceSession } from '../adapters/devtools.js'
export type { SessionActivity } from '../session/types.js'
