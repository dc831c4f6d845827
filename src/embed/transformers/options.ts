import type { Calibration } from '../types.js'

/** How a model wants its texts, and what it covers. */
export interface ModelTraits {
  /** BCP 47 languages. */
  languages: 'all' | readonly string[]
  /** How the vectors of a text's tokens become one. */
  pooling: 'mean' | 'cls'
  /** What is put before a text. */
  prefixes?: { query: string; document: string }
  /** Tokens of a text that are read at once; a longer one is read in windows. */
  maxTokens: number
  /** Cosine of texts that have nothing in common. */
  unrelated?: number
  calibration?: Calibration
}

export interface TransformersOptions extends Partial<ModelTraits> {
  /** A preset, or the id of any feature-extraction model in ONNX. Default `all-MiniLM-L6-v2`. */
  model?: PresetName | (string & {}) | undefined
  /** Default `wasm`. `webgpu`: where there is one that can run the model, else `wasm`. Of no effect in Node. */
  device?: 'wasm' | 'webgpu' | undefined
  /** Default `q8`. */
  dtype?: 'fp32' | 'fp16' | 'q8' | 'int8' | 'uint8' | 'q4' | 'q4f16' | 'bnb4' | undefined
  /** Folder that models are served from (`/models/`, or an address), in Node a folder on disk: nothing is asked of the hub then. */
  models?: string | undefined
  /** Host in place of the Hugging Face hub. */
  host?: string | undefined
  /** Where the two files of the ONNX runtime are. Default: where transformers.js has them, a public CDN. */
  wasm?: { mjs: string; wasm: string } | undefined
  /** Keep the model's files in the browser's cache. Default true. */
  browserCache?: boolean | undefined
  /** Threads of the runtime. Default 1; more need a cross-origin isolated page. */
  threads?: number | undefined
  /** Texts that are read at a time. Default 8. */
  slice?: number | undefined
  /** `sha256:` and 64 hex digits of files, by their path in the model, such as `onnx/model_quantized.onnx`. Others are not checked. */
  digests?: Readonly<Record<string, string>> | undefined
}

export type PresetName = 'all-MiniLM-L6-v2' | 'multilingual-e5-small' | 'paraphrase-multilingual-MiniLM-L12-v2'
