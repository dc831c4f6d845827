/** Sources for Node. */
export { type DirectoryOptions, directory } from '../source/directory/directory.js'
