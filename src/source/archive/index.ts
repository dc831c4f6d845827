export { type ArchiveOptions, archive } from './archive.js'
export type { ArchiveBytes, ArchiveInput, ByteBlob, ByteResponse, ByteStream } from './input.js'
export type { ArchiveLimits } from './limits.js'
export { type WriteArchiveOptions, writeArchive } from './write.js'
