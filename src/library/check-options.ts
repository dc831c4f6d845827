import { SkillshelfError } from '../core/errors.js'
import type { SkillModel } from '../embed/types.js'
import type { LibraryOptions } from './library.js'

const has = (part: unknown, ...methods: string[]): boolean =>
  methods.every(method => typeof (part as Record<string, unknown> | null | undefined)?.[method] === 'function')

/** @throws SkillshelfError `invalid-input` for what cannot be one: another thing, or one that was not called or awaited */
export function checkOptions({ matcher, stages, rerank }: LibraryOptions): void {
  if (matcher !== undefined && stages)
    throw new SkillshelfError('invalid-input', 'stages are those of the matcher that is built in', {
      hint: 'give matcher or stages, not both',
    })
  if (matcher !== undefined && !has(matcher, 'update', 'match', 'explain'))
    throw new SkillshelfError('invalid-input', 'The matcher is none', {
      hint: 'give threadMatcher({ worker }), or none',
    })
  if (rerank !== undefined && typeof rerank !== 'function')
    throw new SkillshelfError('invalid-input', 'rerank is no function', { hint: 'give llmRerank(ask)' })
}

/** @throws SkillshelfError `invalid-input` */
export function checkModel(model: SkillModel | undefined): SkillModel | undefined {
  if (model === undefined || has(model, 'vectorOf', 'skillVector')) return model
  throw new SkillshelfError('invalid-input', 'The embedder is no model of skills', {
    hint: 'give bundled(), called; a transformer joins with library.upgrade(…)',
  })
}
