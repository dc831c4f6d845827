import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { memory } from '../../src/exports/index.js'
import { pack } from '../../src/exports/store.js'
import { readStoredCatalog } from '../../src/library/catalog/stored-catalog.js'
import { createSegmentBuilder } from '../../src/search/index/build.js'
import type { EmbedderLoader } from '../../src/search/model/skill-model.js'
import { readModel } from '../rank/model.js'
import { messages, readDocuments, readSkillFiles } from '../speed/documents.js'

/** By path. */
export type Files = Map<string, Uint8Array>

/** The segment size of `pack`. */
const SEGMENT_SKILLS = 16_384

interface LibraryOptions {
  /** Where it is on the host. @default 'skills' */
  folder?: string
  /** Packs vectors of this transformer too. */
  encoder?: EmbedderLoader
}

/** A packed library of real skills with vectors of the bundled model, and `texts.json` with names and descriptions for the peer. */
export async function packedLibrary(
  count: number,
  { folder = 'skills', encoder }: LibraryOptions = {},
): Promise<{ skills: number; files: Files }> {
  const files: Files = new Map()
  const source = memory(readSkillFiles(count), { name: 'skills' })
  const packed: Record<string, Uint8Array<ArrayBuffer>> = {}
  for await (const { path, bytes, part } of pack(source, { embedder: readModel(), encoder })) {
    // A match reads no files of skills.
    if (part === 'file') continue
    files.set(`${folder}/${path}`, bytes)
    packed[path] = bytes
  }
  const stored = await readStoredCatalog(memory(packed), undefined)
  if (!stored) throw new Error('Nothing was packed')
  const { skills } = stored.catalog
  files.set('texts.json', json(skills.map(({ name, description }) => ({ name, description }))))
  return { skills: skills.length, files }
}

/** Segments of many real skills with their bodies, and `about.json` with their sizes and the messages. */
export function largeSegments(count: number): Files {
  const files: Files = new Map()
  const model = readModel()
  const documents = readDocuments(count)
  const sizes: number[] = []
  for (let from = 0; from < documents.length; from += SEGMENT_SKILLS) {
    const builder = createSegmentBuilder({ embedder: model })
    for (const document of documents.slice(from, from + SEGMENT_SKILLS)) {
      builder.add({ ...document, tags: [] })
    }
    files.set(`large/${sizes.length}.seg`, builder.finish())
    sizes.push(builder.length)
  }
  files.set('large/about.json', json({ sizes, messages }))
  return files
}

function json(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value))
}

const MINILM = 'Xenova/all-MiniLM-L6-v2'
const minilm = fileURLToPath(new URL(`../../../shared/models/${MINILM}`, import.meta.url))
const encoder = fileURLToPath(new URL('../../model/encoder', import.meta.url))

/** Whether the files of all-MiniLM-L6-v2 exist. */
export const hasMiniLM = existsSync(join(minilm, 'onnx/model_quantized.onnx'))

/** The files of all-MiniLM-L6-v2 and of the project's own encoder, by their path on the host. */
export function transformerFiles(): Files {
  const folders = [
    [encoder, 'models/skillshelf-encoder'],
    ...(hasMiniLM ? [[minilm, `models/${MINILM}`]] : []),
  ]
  return new Map(
    folders.flatMap(([folder = '', on]) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter(path => statSync(join(folder, path)).isFile())
        .map(
          path =>
            [
              `${on}/${path.replaceAll('\\', '/')}`,
              new Uint8Array(readFileSync(join(folder, path))),
            ] as const,
        ),
    ),
  )
}
