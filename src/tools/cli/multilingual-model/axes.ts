import { bytesOf, readJsonSection, readSections, writeJsonSection, writeSections } from '../../../core/byte-sections.js'
import { EMBEDDING } from '../../../search/model/multilingual/format.js'

/** A projection of vectors: a matrix of `EMBEDDING` inputs, by input, then output, and biases. */
export interface Axes {
  dimensions: number
  weights: Float32Array
  biases: Float32Array
}

/** Numbers with a scale for each output. */
export interface Quantized {
  weights: Int8Array
  scales: Float32Array
}

export function quantize(weights: Float32Array, outputs: number): Quantized {
  const scales = new Float32Array(outputs)
  for (const [index, weight] of weights.entries()) {
    const output = index % outputs
    scales[output] = Math.max(scales[output] as number, Math.abs(weight) / 127)
  }
  const levelOf = (weight: number, index: number): number => Math.round(weight / (scales[index % outputs] || 1))
  return { weights: Int8Array.from(weights, levelOf), scales }
}

/** Writes `model/axes.bin`. */
export function writeAxes({ dimensions, weights, biases }: Axes): Uint8Array {
  const quantized = quantize(weights, dimensions)
  return writeSections({
    head: writeJsonSection({ dimensions }),
    dens: bytesOf(quantized.weights),
    scal: bytesOf(quantized.scales),
    bias: bytesOf(biases),
  })
}

/** @throws Error if the bytes are not those of `writeAxes` */
export function readAxes(bytes: Uint8Array): Axes {
  const sections = readSections(bytes)
  const head = readJsonSection(sections?.get('head')) as { dimensions: number } | undefined
  const levels = new Int8Array(sections?.get('dens') ?? [])
  // Copied, because numbers need an aligned start.
  const [scales, biases] = ['scal', 'bias'].map(
    tag => new Float32Array(Uint8Array.from(sections?.get(tag) ?? []).buffer),
  )
  const dimensions = head?.dimensions ?? 0
  if (levels.length !== EMBEDDING * dimensions || scales?.length !== dimensions || biases?.length !== dimensions)
    throw new Error('The axes of the model are damaged')
  return {
    dimensions,
    weights: Float32Array.from(levels, (level, index) => level * (scales[index % dimensions] as number)),
    biases,
  }
}
