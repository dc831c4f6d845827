/**
 * Registers `<skill-search>` when it is imported. Does nothing on a server.
 *
 * @packageDocumentation
 * @module skillshelf/element/define
 */

import { defineSkillSearch } from '../../ui/element/skill-search.js'

defineSkillSearch()

export { SkillSearchElement } from '../../ui/element/skill-search.js'
