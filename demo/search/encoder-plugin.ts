import { readFileSync } from 'node:fs'
import type { Plugin } from 'vite'
import { ENCODER } from './encoder.js'
import { ENCODER_PARENT } from './encoder-parent.js'

const FOLDER = new URL('../../model/encoder/', import.meta.url)
/** What transformers.js reads, and the licenses that go with it. */
const NAMES = [
  'config.json',
  'tokenizer.json',
  'tokenizer_config.json',
  'onnx/model_q4.onnx',
  'LICENSE',
  'NOTICE',
]

/** By path on the page's host. */
const FILES = new Map(
  NAMES.map(name => [`${ENCODER_PARENT}${ENCODER}/${name}`, new URL(name, FOLDER)]),
)

/** Serves the encoder with the page, so that no other host is needed. */
export const encoder: Plugin = {
  name: 'encoder',
  configureServer({ middlewares }) {
    for (const [path, file] of FILES) {
      middlewares.use(`/${path}`, (_, response) => response.end(readFileSync(file)))
    }
  },
  generateBundle() {
    for (const [fileName, file] of FILES) {
      this.emitFile({ type: 'asset', fileName, source: readFileSync(file) })
    }
  },
}
