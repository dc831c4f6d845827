import type { PresetName } from '../../src/search/model/transformers/presets.js'

/** The project's own encoder, `model/encoder`. Its preset is loaded with it. */
export const ENCODER = 'skillshelf-encoder' satisfies PresetName
