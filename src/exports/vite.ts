/** Skills in a Vite project: a folder beside the page, a library in the page, and edits on disk without a reload. */
export { type SkillshelfOptions, skillshelf } from '../vite/plugin.js'
