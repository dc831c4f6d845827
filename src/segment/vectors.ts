/**
 * One vector per skill: of unit length, as signed bytes, and their signs for the first pass of a search. Sections:
 *
 * | tag  | what |
 * |------|------|
 * | vhea | JSON: `{ space, dimensions }` |
 * | vecs | i8 × dimensions per skill |
 * | vsca | f32 per skill: the value of one step; 0 where nothing is known of the skill |
 * | vbit | u8 × (dimensions / 8) per skill: a bit for each dimension that is above zero |
 */
export interface Vectors {
  /** Names the weights: vectors of different models cannot be compared. */
  space: string
  /** A multiple of 8, at most 256. */
  dimensions: number
  bytes: Int8Array
  scales: Float32Array
  signs: Uint8Array
}

const STEPS = 127

export interface VectorsWriter {
  add(vector: ArrayLike<number>): void
  finish(): Vectors
}

export function createVectorsWriter(space: string, dimensions: number): VectorsWriter {
  const all: Int8Array[] = []
  const scales: number[] = []
  return {
    add(vector) {
      const bytes = new Int8Array(dimensions)
      all.push(bytes)
      scales.push(toBytes(vector, bytes))
    },
    finish() {
      const bytes = new Int8Array(all.length * dimensions)
      for (const [skill, own] of all.entries()) bytes.set(own, skill * dimensions)
      return { space, dimensions, bytes, scales: Float32Array.from(scales), signs: signsOf(bytes) }
    },
  }
}

/** A vector as signed bytes: `value = byte * scale`. Gives the scale; zeros have 0. */
export function toBytes(vector: ArrayLike<number>, out: Int8Array): number {
  let most = 0
  for (let at = 0; at < out.length; at++) most = Math.max(most, Math.abs(vector[at] as number))
  const scale = most / STEPS
  for (let at = 0; at < out.length; at++) out[at] = scale === 0 ? 0 : Math.round((vector[at] as number) / scale)
  return scale
}

/** A bit for each number: set where it is above zero. */
export function signsOf(numbers: ArrayLike<number>): Uint8Array<ArrayBuffer> {
  const signs = new Uint8Array(numbers.length >> 3)
  for (let at = 0; at < numbers.length; at++)
    if ((numbers[at] as number) > 0) signs[at >> 3] = (signs[at >> 3] as number) | (1 << (at & 7))
  return signs
}

export function vectorSections({ space, dimensions, bytes, scales, signs }: Vectors): Record<string, Uint8Array> {
  const raw = ({ buffer, byteOffset, byteLength }: Int8Array | Float32Array | Uint8Array): Uint8Array =>
    new Uint8Array(buffer, byteOffset, byteLength)
  return {
    vhea: new TextEncoder().encode(JSON.stringify({ space, dimensions })),
    vecs: raw(bytes),
    vsca: raw(scales),
    vbit: raw(signs),
  }
}

/** `undefined` where a segment has none, or they are not whole. */
export function readVectors(sections: ReadonlyMap<string, Uint8Array>, skills: number): Vectors | undefined {
  const [head, vecs, vsca, vbit] = ['vhea', 'vecs', 'vsca', 'vbit'].map(tag => sections.get(tag))
  if (!head || !vecs || !vsca || !vbit) return undefined
  let data: Partial<Vectors>
  try {
    data = JSON.parse(new TextDecoder().decode(head)) as Partial<Vectors>
  } catch {
    return undefined
  }
  const { space, dimensions = 0 } = data
  if (
    typeof space !== 'string' ||
    !Number.isInteger(dimensions) ||
    dimensions < 8 ||
    dimensions > 256 ||
    dimensions % 8 > 0
  )
    return undefined
  if (vecs.length !== skills * dimensions || vsca.length !== skills * 4 || vbit.length * 8 !== skills * dimensions)
    return undefined
  return {
    space,
    dimensions,
    bytes: new Int8Array(vecs.buffer, vecs.byteOffset, vecs.length),
    scales: new Float32Array(vsca.buffer, vsca.byteOffset, vsca.length >> 2),
    signs: vbit,
  }
}
