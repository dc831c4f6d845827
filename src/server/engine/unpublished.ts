import { openLexicon } from '../../search/index/lexicon.js'
import type { Counts } from './counts.js'
import { type EngineHead, HEAD_FORMAT } from './head.js'
import type { SkillEngine } from './types.js'

/** The head of a library before its first publish. */
export const UNPUBLISHED: EngineHead = {
  format: HEAD_FORMAT,
  library: '',
  revision: 0,
  content: '',
  skills: 0,
  dimensions: 0,
  counts: '',
  published: '',
}

export function noCounts(): Counts {
  return { skills: 0, minSkills: 1, lexicon: openLexicon(new Uint8Array(0), new Uint32Array(0), 0, 0) }
}

/** Answers for revision 0 without the engine, which has nothing to search before the first publish. */
export function skipUnpublished(engine: SkillEngine): Pick<SkillEngine, 'candidates' | 'find' | 'page'> {
  return {
    candidates: async (query, options) =>
      query.revision === 0 ? { candidates: [], also: [] } : engine.candidates(query, options),
    find: async (lookup, revision, options) => (revision === 0 ? [] : engine.find(lookup, revision, options)),
    page: async (query, options) => (query.revision === 0 ? { skills: [] } : engine.page(query, options)),
  }
}
