import { SkillshelfError } from '../../core/errors.js'
import type { Embedder, SkillModel } from './skill-model.js'
import { findWrongNumber } from './unit-vectors.js'

/**
 * S14: checks the vectors of some texts, because scores made of a broken one are not numbers, or say nothing.
 * @throws SkillshelfError `model-failed` if there are not `dimensions` numbers for each text, or one of them is NaN or infinite
 */
export function checkVectors(
  numbers: ArrayLike<number>,
  texts: number,
  { id, dimensions }: Pick<Embedder, 'id' | 'dimensions'>,
): void {
  const expected = texts * dimensions
  if (numbers?.length !== expected) {
    throw broken(
      id,
      `returned ${numbers?.length ?? 'no'} numbers for ${texts} texts, not ${expected}`,
    )
  }
  const wrong = findWrongNumber(numbers)
  if (wrong >= 0) {
    throw broken(
      id,
      `returned ${numbers[wrong]} in the vector of text ${Math.floor(wrong / dimensions) + 1}`,
    )
  }
}

/** Texts that a model of meaning is tried with. */
const TRIED = {
  name: 'book-flight',
  description: 'Books flights and hotels.',
  body: 'Ask for the dates.',
}

/** S14: tries a model. @throws SkillshelfError `model-failed` if its vectors have another length than it says, NaN or infinity */
export function checkSkillModel(model: SkillModel): void {
  const { space: id, dimensions } = model
  if (
    !(Number.isInteger(dimensions) && dimensions > 0 && dimensions % 8 === 0 && dimensions <= 256)
  ) {
    throw broken(id, `has ${String(dimensions)} dimensions, not a multiple of 8 up to 256`)
  }
  checkVectors(model.vectorOf(TRIED.description), 1, { id, dimensions })
  checkVectors(model.skillVector(TRIED, new Float32Array(dimensions)), 1, { id, dimensions })
}

/** Whether a text has no meaning for the model. */
export function areZeros(vector: ArrayLike<number>): boolean {
  for (let index = 0; index < vector.length; index++) {
    if (vector[index] !== 0) return false
  }
  return true
}

/** @throws SkillshelfError `model-failed` if a property of an embedder would make scores that are not numbers */
export function checkEmbedderTraits({
  id,
  dimensions,
  unrelated = 0,
  calibration,
}: Embedder): void {
  if (!(Number.isInteger(dimensions) && dimensions > 0 && dimensions % 8 === 0)) {
    throw broken(id, `has ${String(dimensions)} dimensions, not a multiple of 8`)
  }
  if (!(unrelated >= -1 && unrelated < 1)) {
    throw broken(id, `has the "unrelated" cosine ${String(unrelated)}, not one from -1 to below 1`)
  }
  const { leads, ...functions } = calibration ?? {}
  const { served = 0, ...first } = leads ?? {}
  for (const part of [...Object.values(functions), { served }, ...Object.values(first)]) {
    for (const [name, value] of Object.entries(part ?? {})) {
      if (!Number.isFinite(value)) {
        throw broken(id, `has ${String(value)} as coefficient "${name}" of its calibration`)
      }
    }
  }
}

/** The error of an embedder that cannot be used. */
export function broken(id: string, problem: string): SkillshelfError {
  return new SkillshelfError('model-failed', `${id} ${problem}`, { subject: id })
}
