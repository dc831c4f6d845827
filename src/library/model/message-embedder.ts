import { TIMED_OUT, withTimeout } from '../../core/abort.js'
import { isSkillshelfError, throwIfAborted } from '../../core/errors.js'
import type { QueryVector } from '../../search/match/skill-match.js'
import { areZeros, checkEmbedderTraits } from '../../search/model/check-vectors.js'
import { supportsLanguages } from '../../search/model/script-parts.js'
import type { Embedder } from '../../search/model/skill-model.js'
import { toUnitLength } from '../../search/model/unit-vectors.js'
import { embedTexts } from './embedded-texts.js'

interface MessageOptions {
  /** Milliseconds that a message waits for its vector. */
  timeout: number
  /** Called after zeros for a message. @throws SkillshelfError `model-failed` if the embedder is broken */
  checkWitness(signal: AbortSignal | undefined): Promise<void>
  /** Called when the embedder cannot be used any more. */
  onFailure(error: unknown): void
}

/** Embeds messages with a transformer. */
export interface MessageEmbedder {
  /** The vector of a message. `undefined` if its language is not covered, or the timeout passes. */
  embed(message: string, signal: AbortSignal | undefined): Promise<QueryVector | undefined>
}

/** @throws SkillshelfError `model-failed` if the embedder has properties that scores cannot be made of */
export function createMessageEmbedder(
  embedder: Embedder,
  { timeout, checkWitness, onFailure }: MessageOptions,
): MessageEmbedder {
  checkEmbedderTraits(embedder)
  const { id, unrelated, calibration } = embedder
  const traits = {
    ...(unrelated === undefined ? {} : { unrelated }),
    ...(calibration ? { calibration } : {}),
  }
  const covers = supportsLanguages(embedder.languages)
  /** A message that is still embedded after its timeout. */
  let late: Promise<unknown> | undefined

  /** Of unit length. `undefined` if the message has no meaning for the embedder. */
  const vectorOf = async (
    message: string,
    signal: AbortSignal | undefined,
  ): Promise<Float32Array | undefined> => {
    const numbers = await embedTexts(embedder, [message], { kind: 'query', signal })
    if (!areZeros(numbers)) return toUnitLength(numbers)
    await checkWitness(signal)
    return undefined
  }

  return {
    async embed(message, signal) {
      if (late || !covers(message)) return undefined
      const embedding = vectorOf(message, signal)
      try {
        const numbers = await withTimeout(timeout, () => embedding)
        if (numbers !== TIMED_OUT) return numbers && { space: id, numbers, ...traits }
        // Other messages do not wait while the embedder is behind.
        late = embedding
          .catch(error => isSkillshelfError(error, 'aborted') || onFailure(error))
          .finally(() => {
            late = undefined
          })
      } catch (error) {
        if (isSkillshelfError(error, 'aborted')) throwIfAborted(signal)
        onFailure(error)
      }
      return undefined
    },
  }
}
