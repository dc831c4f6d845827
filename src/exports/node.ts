/**
 * Folders of skills and learned messages in Node.
 *
 * @packageDocumentation
 * @module skillshelf/node
 */

export { learnedFile } from '../library/learning/file.js'
export { type DirectoryOptions, directory } from '../source/directory/directory.js'
export type { LinkPolicy, OutsideLink } from '../source/directory/links.js'
export { type PackagesOptions, packages } from '../source/packages/packages.js'
