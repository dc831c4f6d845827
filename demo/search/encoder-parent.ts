import { resolveModel } from '../../src/search/model/transformers/presets.js'
import { ENCODER } from './encoder.js'

const { version } = resolveModel({ model: ENCODER })

/** The folder of the page that has the encoder. It names the version, because browsers keep the files by their address. */
export const ENCODER_PARENT = `models/${version}/`
