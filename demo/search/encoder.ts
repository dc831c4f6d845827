import { resolveModel } from '../../src/search/model/transformers/presets.js'

const { id, version } = resolveModel({})

/** The project's own encoder, `model/encoder`. */
export const ENCODER = id
/** The folder of the page that has it. It names the version, because browsers keep the files by their address. */
export const ENCODER_PARENT = `models/${version}/`
