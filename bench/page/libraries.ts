import { readCatalog } from '../../src/catalog/packed-catalog.js'
import { memory, pack } from '../../src/exports/index.js'
import { createSegmentBuilder } from '../../src/segment/build.js'
import { readModel } from '../rank/model.js'
import { messages, readDocuments, readSkillFiles } from '../speed/documents.js'

type Files = Map<string, Uint8Array>

/** As `pack` cuts a library. */
const SEGMENT_SKILLS = 16_384

/** A packed library of real skills with the vectors of the bundled model, and names and descriptions alone for who reads nothing else. */
export async function packedLibrary(count: number): Promise<{ skills: number; files: Files }> {
  const files: Files = new Map()
  const source = memory(readSkillFiles(count), { name: 'skills' })
  let catalog: Uint8Array | undefined
  for await (const { path, bytes } of pack(source, { embedder: readModel() })) {
    // Files of skills are not read before one is opened.
    if (!path.startsWith('files/')) files.set(`skills/${path}`, bytes)
    catalog = bytes
  }
  if (!catalog) throw new Error('Nothing was packed')
  const { skills } = readCatalog(catalog, 'the packed library')
  files.set('texts.json', json(skills.map(({ name, description }) => ({ name, description }))))
  return { skills: skills.length, files }
}

/** Segments of many real skills, whole bodies as far as there are any, and what the page has to know of them. */
export function largeSegments(count: number): Files {
  const files: Files = new Map()
  const model = readModel()
  const documents = readDocuments(count)
  const sizes: number[] = []
  for (let from = 0; from < documents.length; from += SEGMENT_SKILLS) {
    const builder = createSegmentBuilder({ embedder: model })
    for (const document of documents.slice(from, from + SEGMENT_SKILLS)) builder.add({ ...document, tags: [] })
    files.set(`large/${sizes.length}.seg`, builder.finish())
    sizes.push(builder.length)
  }
  files.set('large/about.json', json({ sizes, messages }))
  return files
}

function json(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value))
}
