import { sequenceOf } from '../src/core/text/analyze.js'
import type { SkillModel } from '../src/search/model/skill-model.js'

/** Words of one line mean the same. */
const MEANINGS = [
  'slides deck presentation keynote',
  'flight airline ticket fly seat',
  'invoice bill receipt',
  'joke',
]
const DIMENSIONS = 32

/** A toy model, which knows a few words. */
export function toy(space = 'toy'): SkillModel {
  const axes = new Map(
    MEANINGS.flatMap((words, axis) => words.split(' ').map(word => [word, axis] as const)),
  )
  const vectorOf = (
    text: string,
    into: Float32Array = new Float32Array(DIMENSIONS),
  ): Float32Array => {
    into.fill(0)
    for (const word of sequenceOf(text)) {
      const axis = axes.get(word)
      if (axis !== undefined) into[axis] = (into[axis] as number) + 1
    }
    const length = Math.hypot(...into) || 1
    for (let at = 0; at < into.length; at++) into[at] = (into[at] as number) / length
    return into
  }
  return {
    space,
    dimensions: DIMENSIONS,
    vectorOf,
    skillVector: ({ name, description, body }, into) =>
      vectorOf(`${name} ${description} ${body}`, into),
  }
}
