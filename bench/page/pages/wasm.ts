import mjs from 'onnxruntime-web/ort-wasm-simd-threaded.mjs?url'
import wasm from 'onnxruntime-web/ort-wasm-simd-threaded.wasm?url'

const absolute = (address: string): string => new URL(address, location.href).href

/** The files of the runtime of transformers.js, by absolute URL: a worker resolves others against itself. */
export const WASM = { mjs: absolute(mjs), wasm: absolute(wasm) }
