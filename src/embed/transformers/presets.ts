import type { ModelTraits, PresetName, TransformersOptions } from './options.js'

/** Of the model's own card. */
const FIFTY_LANGUAGES =
  'ar bg ca cs da de el en es et fa fi fr gl gu he hi hr hu hy id it ja ka ko ku lt lv mk mn mr ms my nb nl pl pt ro ru sk sl sq sr sv th tr uk ur vi zh'.split(
    ' ',
  )

/** Models that are known by a short name. Languages, prefixes and lengths are those of their model cards. */
const PRESETS: Readonly<Record<PresetName, { id: string; traits: ModelTraits }>> = {
  'all-MiniLM-L6-v2': {
    id: 'Xenova/all-MiniLM-L6-v2',
    traits: {
      languages: ['en'],
      pooling: 'mean',
      maxTokens: 256,
      // By `npm run calibrate -- --for minilm`; `named` of a fit with more messages that say a name.
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
      // Its card: "the cosine similarity scores distribute around 0.7 to 1.0".
      unrelated: 0.7,
    },
  },
  'paraphrase-multilingual-MiniLM-L12-v2': {
    id: 'Xenova/paraphrase-multilingual-MiniLM-L12-v2',
    traits: { languages: FIFTY_LANGUAGES, pooling: 'mean', maxTokens: 128 },
  },
}

/** What is known of a model that nothing is known of. */
const UNKNOWN: ModelTraits = { languages: ['en'], pooling: 'mean', maxTokens: 256 }

/** The model that is meant, and its traits: those given, else those of the preset. */
export function modelOf({ model = 'all-MiniLM-L6-v2', ...given }: TransformersOptions): {
  id: string
  traits: ModelTraits
} {
  const [, preset] =
    Object.entries(PRESETS).find(([name, { id }]) => name === model || id.toLowerCase() === model.toLowerCase()) ?? []
  const { languages, pooling, prefixes, maxTokens, unrelated, calibration } = given
  return {
    id: preset?.id ?? model,
    traits: {
      ...(preset?.traits ?? UNKNOWN),
      ...(languages ? { languages } : {}),
      ...(pooling ? { pooling } : {}),
      ...(prefixes ? { prefixes } : {}),
      ...(maxTokens ? { maxTokens } : {}),
      ...(unrelated === undefined ? {} : { unrelated }),
      ...(calibration ? { calibration } : {}),
    },
  }
}
