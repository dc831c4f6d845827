export { type IndexedDbOptions, type IndexedDbSource, type IndexedDbUsage, indexedDbSource } from './source.js'
