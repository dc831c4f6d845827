/**
 * Sources beside `http` and `memory`: archives, repositories on GitHub and the IndexedDB of a browser. And vectors and learned messages in
 * IndexedDB.
 *
 * @packageDocumentation
 * @module skillshelf/sources
 */

export type {
  ForgetOptions,
  LearnedMessage,
  LearnedStore,
  UnusedMessage,
  UseReport,
} from '../library/api/learned-messages.js'
export { learnedDatabase } from '../library/learning/database.js'
export type { SeenRevisions } from '../library/signed/seen-revisions.js'
export { type SignedOptions, signed } from '../library/signed/signed.js'
export { indexedDb } from '../library/store/indexeddb.js'
export type { VectorCache } from '../search/model/skill-model.js'
export { vectorCache } from '../search/model/vector-cache.js'
export { type ArchiveOptions, archive } from '../source/archive/archive.js'
export type { ArchiveBytes, ArchiveInput, ByteBlob, ByteResponse } from '../source/archive/input.js'
export type { ArchiveLimits } from '../source/archive/limits.js'
export { type WriteArchiveOptions, writeArchive } from '../source/archive/write.js'
export { type GithubOptions, github } from '../source/github/github.js'
export type { HttpOptions, HttpRequest, HttpResponse } from '../source/http/options.js'
export type {
  IndexedDbOptions,
  IndexedDbSource,
  IndexedDbUsage,
} from '../source/indexeddb/indexeddb.js'
export type { MemoryFile } from '../source/memory.js'
export type {
  ByteRange,
  ByteStream,
  Changes,
  FetchableSource,
  FetchResult,
  FileEntry,
  ListableSource,
  ListOptions,
  ReadOptions,
  ReadResult,
  WritableSource,
  WriteOptions,
} from '../source/source.js'
