import { mapParallel, PARALLEL_READS } from '../../core/concurrency.js'
import { createSegmentBuilder, embeddedSkill } from '../../search/index/build.js'
import { parseSkill } from '../../skill/parse.js'
import type { SkillSource } from '../../source/source.js'
import type { CatalogEntry } from '../catalog/catalog-entry.js'
import { readPackedDetails } from '../catalog/packed-details.js'
import { packedFile, readPackedFile } from '../catalog/packed-files.js'
import type { IndexOptions } from './source-index.js'

/** Builds a segment from the SKILL.md files of its skills. Replaces a segment that this version cannot read. */
export async function rebuildSegment(
  source: SkillSource,
  entries: readonly (CatalogEntry | undefined)[],
  { signal, ...options }: Pick<IndexOptions, 'signal' | 'embedder'>,
): Promise<Uint8Array<ArrayBuffer>> {
  const embedder = await options.embedder
  const parsed = await mapParallel(entries, PARALLEL_READS, async entry => {
    if (!entry) return undefined
    const file = packedFile(entry.digest, '.md')
    const bytes = await readPackedFile(source, file, entry.digest, signal)
    const { messages, notMessages } = await readPackedDetails(source, entry, signal)
    return { ...(await parseSkill(bytes, { folder: entry.path })), messages, notMessages }
  })
  const documents = entries.map((entry, index) => ({
    ...(entry ?? { name: '', description: '', tags: [] }),
    whenToUse: parsed[index]?.metadata.whenToUse,
    messages: parsed[index]?.messages,
    notMessages: parsed[index]?.notMessages,
    body: parsed[index]?.body ?? '',
  }))
  await embedder?.prepare?.(documents.map(embeddedSkill))
  const builder = createSegmentBuilder({ embedder })
  for (const document of documents) builder.add(document)
  return builder.finish()
}
