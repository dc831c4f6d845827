import { invalidInput } from '../../core/errors.js'
import { onDemand } from '../../core/load-module.js'
import type { SkillModel } from '../model/skill-model.js'
import { hybridMatcher } from './hybrid.js'
import type { Matcher } from './skill-match.js'

const loadKeyword = onDemand(() => import('./keyword-matcher.js'))
const loadEmbedding = onDemand(() => import('./embedding-matcher.js'))

/**
 * How a library finds skills.
 *
 * - `hybrid`: by words over whole SKILL.md files and, with an embedder, also by meaning. Neither filters the other.
 * - `keyword`: by names and tags contained in the message; five skills at most.
 * - `embedding`: by meaning alone. Requires an embedder.
 */
export type Stages = 'hybrid' | 'keyword' | 'embedding'

/**
 * Creates the matcher of a library.
 * @param joined Returns the bundled model, once it has joined.
 * @throws SkillshelfError `invalid-input` for an unknown value, or for `embedding` without an embedder
 */
export async function createMatcherForStages(
  stages: Stages,
  embedder: SkillModel | undefined,
  joined: () => SkillModel | undefined,
): Promise<Matcher> {
  switch (stages) {
    case 'hybrid':
      return hybridMatcher(() => embedder ?? joined())
    case 'keyword':
      return (await loadKeyword()).keywordMatcher()
    case 'embedding':
      return (await loadEmbedding()).embeddingMatcher(embedder)
    default:
      throw invalidInput(
        `Unknown "stages" ${JSON.stringify(stages)}`,
        'use "hybrid", "keyword" or "embedding"',
      )
  }
}
