import type { AbortOptions } from '../../../core/abort.js'
import { throwIfAborted } from '../../../core/errors.js'
import type { OnProgress } from '../../../core/progress.js'
import { encodeVector, type PackedVectors } from '../../../search/index/packed-vectors.js'
import { broken, checkEmbedderTraits } from '../../../search/model/check-vectors.js'
import { supportsLanguages } from '../../../search/model/script-parts.js'
import type { Embedder, EmbedderLoader } from '../../../search/model/skill-model.js'
import type { SkillSource } from '../../../source/source.js'
import { readStoredCatalog } from '../../catalog/stored-catalog.js'
import { readVectorsOf } from '../../catalog/vectors-file.js'
import { embeddedTexts, embedSkills, textsKey } from '../../model/embedded-texts.js'
import type { PackedSkill } from '../publish/well-known-plan.js'

export { writeVectors } from '../../catalog/vectors-file.js'

/** Whose vectors are packed, and where they may be already. */
export interface EncoderOptions extends AbortOptions {
  encoder: Embedder | EmbedderLoader
  /** A packed library. Vectors of skills whose texts have not changed since are taken from it. */
  previous?: SkillSource | undefined
  /** Vectors that came with the skills, in any order. */
  given?: PackedVectors | undefined
  /** Called with phase `load`, then `embed`. Counts skills. */
  onProgress?: OnProgress | undefined
}

/**
 * The vectors of skills, in their order. Each skill is embedded by itself, so that its vector does not depend on the others.
 * @throws SkillshelfError `model-failed` if the encoder is broken, `aborted`, and errors of the loader
 */
export async function encodeSkills(
  skills: readonly PackedSkill[],
  { encoder, previous, given, signal, onProgress }: EncoderOptions,
): Promise<PackedVectors> {
  const isLoader = typeof encoder === 'function'
  const embedder = isLoader ? await encoder({ signal, onProgress }) : encoder
  try {
    checkEmbedderTraits(embedder)
    const { id: space, dimensions, languages } = embedder
    const known = await readKnown(embedder, { previous, given, signal })
    const total = skills.length
    const encoded: PackedVectors['skills'][number][] = []
    let embedded = 0
    let empty = 0
    for (const skill of skills) {
      throwIfAborted(signal)
      const texts = textsOf(skill, languages)
      const key = textsKey(texts)
      let vector = known.get(key)
      if (!vector) {
        const numbers = await embedSkills(embedder, [texts], signal)
        vector = encodeVector(numbers)
        known.set(key, vector)
        embedded++
        if (numbers.every(number => number === 0)) empty++
      }
      encoded.push({ key, vector })
      onProgress?.({ phase: 'embed', done: encoded.length, total })
    }
    if (embedded > 0 && empty === embedded) throw broken(space, 'returns zeros for every skill')
    return { space, dimensions, languages, skills: encoded }
  } finally {
    if (isLoader) await embedder.close?.().catch(() => undefined)
  }
}

/** Puts vectors that came with skills into the order of these. Those of other texts are left out. */
export function arrangeVectors(
  skills: readonly PackedSkill[],
  given: PackedVectors,
): PackedVectors {
  const known = new Map(given.skills.map(one => [one?.key, one]))
  const arranged = skills.map(skill => known.get(textsKey(textsOf(skill, given.languages))))
  return { ...given, skills: arranged }
}

/** The texts that an embedder of these languages reads. */
function textsOf({ entry, details }: PackedSkill, languages: Embedder['languages']): string[] {
  const messages = writtenMessages(details.messages).filter(supportsLanguages(languages))
  return embeddedTexts(entry, messages)
}

/** The messages of a skill as a segment has them. */
function writtenMessages(messages: readonly string[] = []): string[] {
  return messages.map(text => text.replaceAll('\n', ' ')).filter(Boolean)
}

/** Vectors that need not be computed again, by the key of their texts. Files that cannot be used are as none. */
async function readKnown(
  { id, dimensions }: Embedder,
  { previous, given, signal }: Pick<EncoderOptions, 'previous' | 'given' | 'signal'>,
): Promise<Map<string, Uint8Array>> {
  const known = new Map<string, Uint8Array>()
  const keep = (packed: PackedVectors | undefined): void => {
    if (packed?.space !== id || packed.dimensions !== dimensions) return
    for (const skill of packed.skills) {
      if (skill) known.set(skill.key, skill.vector)
    }
  }
  keep(given)
  if (!previous) return known
  const ignore = (): undefined => throwIfAborted(signal) as undefined
  const stored = await readStoredCatalog(previous, signal).catch(ignore)
  for (const segment of stored?.catalog.segments ?? []) {
    if (segment.vectors?.space !== id) continue
    keep(await readVectorsOf(previous, segment, signal).catch(ignore))
  }
  return known
}
