import type { ModelTraits, PresetName, TransformersOptions } from './options.js'

/** From its model card. */
const FIFTY_LANGUAGES =
  'ar bg ca cs da de el en es et fa fi fr gl gu he hi hr hu hy id it ja ka ko ku lt lv mk mn mr ms my nb nl pl pt ro ru sk sl sq sr sv th tr uk ur vi zh'.split(
    ' ',
  )

/** Models with a short name. Languages, prefixes and lengths are from their model cards. */
const PRESETS: Readonly<Record<PresetName, { id: string; traits: ModelTraits }>> = {
  'all-MiniLM-L6-v2': {
    id: 'Xenova/all-MiniLM-L6-v2',
    traits: {
      languages: ['en'],
      pooling: 'mean',
      maxTokens: 256,
      // Fitted by `npm run calibrate -- --for minilm`. `named` comes from a fit with more messages that contain a name.
      calibration: {
        intercept: -4.96,
        relevance: 0.79,
        coverage: 8.16,
        named: 2.97,
        similarity: 8.87,
        temperature: 2.19,
      },
    },
  },
  'multilingual-e5-small': {
    id: 'Xenova/multilingual-e5-small',
    traits: {
      languages: 'all',
      pooling: 'mean',
      maxTokens: 512,
      prefixes: { query: 'query: ', document: 'passage: ' },
      // From its model card: "the cosine similarity scores distribute around 0.7 to 1.0".
      unrelated: 0.7,
    },
  },
  'paraphrase-multilingual-MiniLM-L12-v2': {
    id: 'Xenova/paraphrase-multilingual-MiniLM-L12-v2',
    traits: { languages: FIFTY_LANGUAGES, pooling: 'mean', maxTokens: 128 },
  },
}

const DEFAULT_TRAITS: ModelTraits = { languages: ['en'], pooling: 'mean', maxTokens: 256 }

/** Resolves the id and traits of a model. Traits in the options override those of a preset. */
export function resolveModel({ model = 'all-MiniLM-L6-v2', ...options }: TransformersOptions): {
  id: string
  traits: ModelTraits
} {
  const [, preset] =
    Object.entries(PRESETS).find(([name, { id }]) => name === model || id.toLowerCase() === model.toLowerCase()) ?? []
  const base = preset?.traits ?? DEFAULT_TRAITS
  return {
    id: preset?.id ?? model,
    traits: {
      languages: options.languages ?? base.languages,
      pooling: options.pooling ?? base.pooling,
      prefixes: options.prefixes ?? base.prefixes,
      maxTokens: options.maxTokens || base.maxTokens,
      unrelated: options.unrelated ?? base.unrelated,
      calibration: options.calibration ?? base.calibration,
    },
  }
}
