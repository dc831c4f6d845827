import type { AbortOptions } from '../../../core/abort.js'
import { throwIfAborted } from '../../../core/errors.js'
import type { OnProgress } from '../../../core/progress.js'
import { encodeVector, type PackedVectors } from '../../../search/index/packed-vectors.js'
import { broken, checkEmbedderTraits } from '../../../search/model/check-vectors.js'
import { supportsLanguages } from '../../../search/model/script-parts.js'
import type { Embedder, EmbedderLoader } from '../../../search/model/skill-model.js'
import type { SkillSource } from '../../../source/source.js'
import { readStoredCatalog } from '../../catalog/packed-files.js'
import { readVectorsOf } from '../../catalog/vectors-file.js'
import { embeddedTexts, embedSkills, textsKey } from '../../model/embedded-texts.js'
import type { PackedSkill } from '../publish/well-known-plan.js'

export { writeVectors } from '../../catalog/vectors-file.js'

/** Whose vectors are packed, and where they may be already. */
export interface EncoderOptions extends AbortOptions {
  encoder: Embedder | EmbedderLoader
  /** A packed library. Vectors of skills whose texts have not changed since are taken from it. */
  previous?: SkillSource | undefined
  /** Called with phase `load`, then `embed`. Counts skills. */
  onProgress?: OnProgress | undefined
}

/**
 * The vectors of skills, in their order. Each skill is embedded by itself, so that its vector does not depend on the others.
 * @throws SkillshelfError `model-failed` if the encoder is broken, `aborted`, and errors of the loader
 */
export async function encodeSkills(
  skills: readonly PackedSkill[],
  { encoder, previous, signal, onProgress }: EncoderOptions,
): Promise<PackedVectors> {
  const isLoader = typeof encoder === 'function'
  const embedder = isLoader ? await encoder({ signal, onProgress }) : encoder
  try {
    checkEmbedderTraits(embedder)
    const { id: space, dimensions } = embedder
    const known = previous ? await readKnown(previous, embedder, signal) : new Map()
    const covers = supportsLanguages(embedder.languages)
    const total = skills.length
    const encoded: PackedVectors['skills'][number][] = []
    let embedded = 0
    let empty = 0
    for (const { entry, details } of skills) {
      throwIfAborted(signal)
      const texts = embeddedTexts(entry, writtenMessages(details.messages).filter(covers))
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
    return { space, dimensions, skills: encoded }
  } finally {
    if (isLoader) await embedder.close?.().catch(() => undefined)
  }
}

/** The messages of a skill as a segment has them. */
function writtenMessages(messages: readonly string[] = []): string[] {
  return messages.map(text => text.replaceAll('\n', ' ')).filter(Boolean)
}

/** The vectors of a library that was packed before, by the key of their texts. Files that cannot be used are as none. */
async function readKnown(
  source: SkillSource,
  embedder: Embedder,
  signal: AbortSignal | undefined,
): Promise<Map<string, Uint8Array>> {
  const known = new Map<string, Uint8Array>()
  const ignore = (): undefined => throwIfAborted(signal) as undefined
  const stored = await readStoredCatalog(source, signal).catch(ignore)
  for (const segment of stored?.catalog.segments ?? []) {
    if (segment.vectors?.space !== embedder.id) continue
    const packed = await readVectorsOf(source, segment, signal).catch(ignore)
    if (packed?.dimensions !== embedder.dimensions) continue
    for (const skill of packed.skills) {
      if (skill) known.set(skill.key, skill.vector)
    }
  }
  return known
}
