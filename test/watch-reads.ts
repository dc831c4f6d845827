import type { ReadOptions, SkillSource } from '../src/source/source.js'

/** The same source, which calls this before each read: it may wait or throw. */
export function beforeReads<Source extends SkillSource>(
  source: Source,
  call: (path: string, options?: ReadOptions) => unknown,
): Source {
  const read: SkillSource['read'] = async (path, options) => {
    await call(path, options)
    return source.read(path, options)
  }
  return { ...source, read }
}

/** The same source, and the paths that are read of it. */
export function watchReads<Source extends SkillSource>(
  source: Source,
): { source: Source; reads: string[] } {
  const reads: string[] = []
  return { source: beforeReads(source, path => reads.push(path)), reads }
}
