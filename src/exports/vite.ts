/**
 * Vite plugin: packs a folder of skills and refreshes it in the page without a reload.
 *
 * @packageDocumentation
 * @module skillshelf/vite
 */

export { type SkillshelfOptions, skillshelf } from '../tools/vite/plugin.js'
