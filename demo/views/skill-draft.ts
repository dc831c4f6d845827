import type { Skill, SkillSummary } from 'skillshelf'
import { type Draft, openDraft } from '../../src/tools/listing/draft.js'
import type { PageContext } from '../context.js'
import { loadModel } from '../library/bundled-model.js'

/** Skills that are read at once. */
const AT_ONCE = 16

export interface OpenedDraft {
  skills: readonly Skill[]
  draft: Draft
}

/** Reads skills of the open library, and copies them for trying other descriptions. */
export async function draftOf(
  context: PageContext,
  summaries: readonly SkillSummary[],
  signal: AbortSignal,
): Promise<OpenedDraft> {
  const skills: Skill[] = []
  for (let at = 0; at < summaries.length; at += AT_ONCE) {
    const some = summaries.slice(at, at + AT_ONCE)
    skills.push(...(await Promise.all(some.map(({ id }) => context.library.get(id, { signal })))))
  }
  // The library may be about to get the model.
  await context.prepareModel([])
  const model = await loadModel().catch(() => undefined)
  const draft = await openDraft(skills, {
    embedder: model ?? false,
    modelTimeout: Number.POSITIVE_INFINITY,
    signal,
  })
  return { skills, draft }
}
