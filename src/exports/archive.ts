/**
 * Sources from zip and tar archives, and writing archives.
 *
 * @packageDocumentation
 * @module skillshelf/archive
 */

export { type ArchiveOptions, archive } from '../source/archive/archive.js'
export type { ArchiveBytes, ArchiveInput, ByteBlob, ByteResponse } from '../source/archive/input.js'
export type { ArchiveLimits } from '../source/archive/limits.js'
export { type WriteArchiveOptions, writeArchive } from '../source/archive/write.js'
export type { ByteStream } from '../source/source.js'
