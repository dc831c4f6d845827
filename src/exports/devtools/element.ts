/**
 * `<skill-activity>`: a panel that shows what a session does.
 *
 * @packageDocumentation
 * @module skillshelf/devtools/element
 */

export { defineSkillActivity } from '../../element/activity/define.js'
export { SkillActivityElement } from '../../element/activity/skill-activity.js'
