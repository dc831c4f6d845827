import type { SkillSource } from './types.js'

/** A source that can be searched for skills. */
export type Listable = SkillSource & Required<Pick<SkillSource, 'list'>>

/** A source of a place that has addresses. */
export type Addressed = SkillSource & Required<Pick<SkillSource, 'fetch'>>
