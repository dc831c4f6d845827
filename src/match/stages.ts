import { SkillshelfError } from '../core/errors.js'
import type { SkillModel } from '../embed/types.js'
import { localMatcher } from './local.js'
import type { Matcher } from './types.js'

/**
 * What finds skills. `hybrid`: words over whole SKILL.md files, with a model also meaning; neither hides what the other finds.
 * `keyword`: names and tags that stand in the message, five skills at most. `embedding`: meaning alone, with a model.
 */
export type Stages = 'hybrid' | 'keyword' | 'embedding'

/** @throws SkillshelfError `invalid-input` */
export async function matcherOf(stages: Stages, model: SkillModel | undefined): Promise<Matcher> {
  switch (stages) {
    case 'hybrid':
      return localMatcher({ embedder: model })
    case 'keyword':
      return (await import('./keyword.js')).keywordMatcher()
    case 'embedding':
      return (await import('./embedding.js')).embeddingMatcher(model)
    default:
      throw new SkillshelfError('invalid-input', `stages is ${JSON.stringify(stages)}`, {
        hint: 'give hybrid, keyword or embedding',
      })
  }
}
