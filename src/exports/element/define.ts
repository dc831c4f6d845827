/**
 * Registers `<skill-search>` when it is imported. Does nothing on a server.
 *
 * @packageDocumentation
 * @module skillshelf/element/define
 */

import { defineSkillSearch } from '../../element/define.js'

defineSkillSearch()

export { SkillSearchElement } from '../../element/skill-search.js'
