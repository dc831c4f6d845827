import { digestOf, shortDigest } from '../../core/digest.js'
import { removeNegatedClauses } from '../../core/text/description-negation.js'
import { checkVectors } from '../../search/model/check-vectors.js'
import type { Embedder, EmbedOptions } from '../../search/model/skill-model.js'
import type { CatalogEntry } from '../catalog/catalog-entry.js'

/** Messages of a skill that are embedded, about as many as a model reads in one pass. */
const MAX_MESSAGES = 8

/** A skill to embed. The key of its vector changes with its SKILL.md, and with its other files if it has messages. */
export interface EmbeddedSkill {
  key: string
  texts(): readonly string[]
}

/** The texts of a skill that are embedded: its name and description, and some of its messages, from all its languages. */
export function embeddedTexts(
  skill: Pick<CatalogEntry, 'name' | 'displayName' | 'description'>,
  messages: readonly string[] = [],
): string[] {
  const length = Math.min(messages.length, MAX_MESSAGES)
  const some = Array.from(
    { length },
    (_, index) => messages[Math.ceil((index * messages.length) / length)],
  )
  return [embeddedText(skill), ...(some.length > 0 ? [some.join('\n')] : [])]
}

/** The name and description of a skill as an embedder reads them. */
export function embeddedText(
  skill: Pick<CatalogEntry, 'name' | 'displayName' | 'description'>,
): string {
  const { name, displayName, description } = skill
  return `${displayName ?? name.replace(/[-_]+/g, ' ')}. ${removeNegatedClauses(description).trim()}`
}

/** Identifies the texts of a skill: 16 hex digits. */
export function textsKey(texts: readonly string[]): string {
  return shortDigest(digestOf(JSON.stringify(texts)))
}

/**
 * Embeds skills: the vector of each is the mean of those of its texts.
 * @returns `skills.length * dimensions` numbers.
 */
export async function embedSkills(
  embedder: Embedder,
  skills: readonly (readonly string[])[],
  signal?: AbortSignal,
): Promise<Float32Array> {
  const { dimensions } = embedder
  const numbers = await embedTexts(embedder, skills.flat(), { kind: 'document', signal })
  const vectors = new Float32Array(skills.length * dimensions)
  /** Where the texts of a skill begin in `numbers`. */
  let start = 0
  for (const [skill, texts] of skills.entries()) {
    const end = start + texts.length * dimensions
    const sum = new Float32Array(dimensions)
    for (let at = start; at < end; at++) {
      const dimension = at % dimensions
      sum[dimension] = (sum[dimension] as number) + (numbers[at] as number)
    }
    start = end
    const norm = Math.hypot(...sum) || 1
    const unit = sum.map(value => value / norm)
    vectors.set(unit, skill * dimensions)
  }
  return vectors
}

/** @throws SkillshelfError `model-failed` if the embedder returns vectors of another length than it says, NaN or infinity */
export async function embedTexts(
  embedder: Embedder,
  texts: readonly string[],
  options: EmbedOptions,
): Promise<Float32Array> {
  const numbers = await embedder.embed(texts, options)
  checkVectors(numbers, texts.length, embedder)
  return numbers
}
