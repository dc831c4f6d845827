/**
 * Spans of what a session does.
 *
 * @packageDocumentation
 * @module skillshelf/devtools
 */

export { type SkillTracer, traceSession } from '../agent/adapters/devtools.js'
export type { SessionActivity } from '../agent/session/activity.js'
