/**
 * Folders of skills in Node.
 *
 * @packageDocumentation
 * @module skillshelf/node
 */

export { type DirectoryOptions, directory } from '../source/directory/directory.js'
