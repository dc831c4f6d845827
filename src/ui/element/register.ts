/** The entry of `dist/browser/skill-search.js`: registers `<skill-search>` when it is loaded. */
import { defineSkillSearch } from './skill-search.js'

defineSkillSearch()
