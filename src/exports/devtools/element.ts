/**
 * `<skill-activity>`: a panel that shows what a session does.
 *
 * @packageDocumentation
 * @module skillshelf/devtools/element
 */

export { defineSkillActivity, SkillActivityElement } from '../../ui/element/activity/skill-activity.js'
