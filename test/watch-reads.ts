import type { SkillSource } from '../src/source/source.js'

/** The same source, and the paths that are read of it. */
export function watchReads<Source extends SkillSource>(source: Source): { source: Source; reads: string[] } {
  const reads: string[] = []
  const read: SkillSource['read'] = async (path, options) => {
    reads.push(path)
    return source.read(path, options)
  }
  return { source: { ...source, read }, reads }
}
