import type { SkillSource } from '../../src/source/source.js'
import type { Counts } from './types.js'

/** Wraps a source and counts its reads and listings. */
export function countReads(source: SkillSource): { source: SkillSource; counts: () => Counts } {
  let now: Counts = { reads: 0, bytes: 0 }
  const { list } = source
  return {
    source: {
      name: source.name,
      async read(path, options) {
        now.reads++
        const found = await source.read(path, options)
        if (typeof found === 'object') now.bytes += found.bytes.length
        return found
      },
      ...(list
        ? {
            async list(options) {
              now.reads++
              return list.call(source, options)
            },
          }
        : {}),
    },
    counts() {
      const then = now
      now = { reads: 0, bytes: 0 }
      return then
    },
  }
}
