import { abortable } from '../../core/abort.js'
import { throwIfAborted } from '../../core/errors.js'
import { parseJson } from '../../core/plain-data.js'
import { cosineOf, quantizeQuery } from '../../search/match/vector-scan.js'
import { areZeros, broken } from '../../search/model/check-vectors.js'
import { supportsLanguages } from '../../search/model/script-parts.js'
import type { Embedder, EmbedderLoader } from '../../search/model/skill-model.js'
import { openEncoderPieces } from '../../search/pieces/encoder-pieces.js'
import type { LocalLibrary, UpgradeOptions } from '../api/skill-library.js'
import { readEntry } from '../catalog/catalog-line.js'
import { embeddedTexts, embedSkills, textsKey } from '../model/embedded-texts.js'
import { createMessageEmbedder } from '../model/message-embedder.js'
import type { ModelIndex } from '../model/model.js'
import { checkUpgrade, createUpgrader, type Upgrader } from '../model/upgrader.js'
import { SAME_MODEL } from '../model/usable-vectors.js'
import { warnOf } from '../state/problems.js'
import type { MessageEncoder } from './pieces-index.js'
import type { PiecesReader } from './pieces-reader.js'

/** Upgrades a library in pieces: to the encoder of its packed vectors as it is, to any other embedder by opening it whole. */
export interface PiecesUpgrader extends Upgrader, MessageEncoder {
  /** Gives up the embedder that is in use, without closing it, to the library that was opened whole. */
  release(): EmbedderOptions | undefined
}

interface EmbedderOptions {
  embedder: Embedder
  options: UpgradeOptions
}

interface PiecesUpgraderOptions {
  /** Returns the reader of the open revision. */
  reader(): PiecesReader
  /** Opens the library whole. */
  complete(): Promise<LocalLibrary>
}

/** A skill whose packed vector is the one that the embedder gives. */
interface ComparedSkill {
  /** The list of the packed vectors. */
  list: string
  texts: readonly string[]
}

export function createPiecesUpgrader({ reader, complete }: PiecesUpgraderOptions): PiecesUpgrader {
  const slot: Pick<ModelIndex, 'embedder'> = { embedder: undefined }
  let inUse: EmbedderOptions | undefined
  let compared: ComparedSkill | undefined
  /** The list of a newer revision whose vectors are being compared; empty if it has none. */
  let comparing: string | undefined
  /** Of the last call of `upgrade`. */
  let lastOptions: UpgradeOptions = {}

  const upgrader = createUpgrader(slot, (embedder, { timeout, onFailure }) => {
    const messages = createMessageEmbedder(embedder, {
      timeout,
      async checkWitness(signal) {
        const { texts } = compared as ComparedSkill
        if (areZeros(await embedSkills(embedder, [texts], signal))) {
          throw broken(embedder.id, 'returns zeros for every text')
        }
      },
      onFailure: error => {
        if (inUse?.embedder === embedder) onFailure(error)
      },
    })
    inUse = { embedder, options: lastOptions }
    return {
      ...messages,
      vectorsOf: () => undefined,
      embedNewSkills: async () => undefined,
      async close() {
        if (inUse?.embedder === embedder) inUse = undefined
        await closeQuietly(embedder)
      },
    }
  })

  /** Loads an embedder whose vectors are in the pieces. Any other is kept in `loaded`. */
  const packedLoader =
    (model: Embedder | EmbedderLoader, loaded: { other?: Embedder }): EmbedderLoader =>
    async (options = {}) => {
      const embedder = typeof model === 'function' ? await model(options) : model
      try {
        const skill = await compareVectors(reader(), embedder, options.signal)
        throwIfAborted(options.signal)
        if (skill) {
          compared = skill
          return embedder
        }
      } catch (error) {
        await closeQuietly(embedder)
        throw error
      }
      loaded.other = embedder
      throw new Error('The vectors in the pieces are not those of the embedder')
    }

  /** Compares the vectors of a newer revision. If they are not those of the embedder, the library is opened whole. */
  const compareAgain = async (pieces: PiecesReader, embedder: Embedder): Promise<void> => {
    const skill = await compareVectors(pieces, embedder, undefined)
    if (inUse?.embedder !== embedder) return
    if (skill) compared = skill
    else await complete()
  }

  return {
    stop: upgrader.stop,
    async upgrade(model, options = {}) {
      checkUpgrade(model, options)
      lastOptions = options
      const { signal, onFailure = warnOf } = options
      const loaded: { other?: Embedder } = {}
      const isUpgraded = await upgrader.upgrade(packedLoader(model, loaded), {
        ...options,
        // Nothing is embedded that a cache would keep.
        cache: false,
        onFailure: problem => {
          if (!loaded.other) onFailure(problem)
        },
      })
      const { other } = loaded
      if (!other) return isUpgraded
      const library = await abortable(complete(), signal).catch(async error => {
        await closeQuietly(other)
        throw error
      })
      if (lastOptions === options) return library.upgrade(other, options)
      // A later call has replaced this one.
      await closeQuietly(other)
      return false
    },
    async embed(pieces, message, signal) {
      const { embedder } = slot
      if (!embedder || !inUse) return undefined
      const list = openEncoderPieces(pieces.pieces)?.list ?? ''
      if (list === compared?.list) {
        const vector = await embedder.embed(message, signal)
        if (vector) await pieces.load([list], signal)
        return vector
      }
      if (list === comparing) return undefined
      comparing = list
      compareAgain(pieces, inUse.embedder).catch(() => {
        comparing = undefined
      })
      return undefined
    },
    release() {
      const released = inUse
      inUse = undefined
      slot.embedder = undefined
      return released
    },
  }
}

/**
 * Embeds a skill and compares it with its packed vector: of a file of rows that is read, if there is one.
 * @returns `undefined` if the pieces have no vectors of this embedder, or they cannot be read
 * @throws SkillshelfError `aborted`, and errors of the embedder
 */
async function compareVectors(
  { pieces, load }: PiecesReader,
  embedder: Embedder,
  signal: AbortSignal | undefined,
): Promise<ComparedSkill | undefined> {
  const { rows, rowFiles, segment } = pieces
  const encoder = openEncoderPieces(pieces)
  const file = rowFiles.find(rows.isRead) ?? rowFiles[0]
  if (encoder?.space !== embedder.id || file === undefined) return undefined
  try {
    await load([encoder.list], signal)
    await load([file, ...encoder.beside([file])], signal)
  } catch {
    throwIfAborted(signal)
    return undefined
  }
  const { list, vectors } = encoder
  const [skill = 0] = rows.skillsOf(file)
  const entry = readEntry(parseJson(rows.lineOf(skill)))
  if (!entry || vectors?.dimensions !== embedder.dimensions) return undefined
  const messages = segment.messagesOf(skill).filter(supportsLanguages(embedder.languages))
  const texts = embeddedTexts(entry, messages)
  if (encoder.keyOf(skill) !== textsKey(texts)) return undefined
  const vector = quantizeQuery(await embedSkills(embedder, [texts], signal))
  return cosineOf(vector, vectors, skill) >= SAME_MODEL ? { list, texts } : undefined
}

async function closeQuietly(embedder: Embedder): Promise<void> {
  await embedder.close?.().catch(() => undefined)
}
