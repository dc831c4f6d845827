import { decodeText } from '../../skill/decode.js'
import { splitFrontmatter } from '../../skill/frontmatter.js'
import type { SkillSource } from '../../source/source.js'
import type { CatalogEntry } from '../catalog/catalog-entry.js'
import { readPackedDetails } from '../catalog/packed-details.js'
import { packedFile, readPackedFile } from '../catalog/packed-files.js'
import type { OpenedSkill } from './source-index.js'

/** Opens a skill of a packed library. Not needed for matching, so it is loaded with the first skill. */
export async function openPacked(
  source: SkillSource,
  entry: CatalogEntry,
  signal: AbortSignal | undefined,
): Promise<OpenedSkill> {
  const [details, content] = await Promise.all([
    readPackedDetails(source, entry, signal),
    readPackedFile(source, packedFile(entry.digest, '.md'), entry.digest, signal),
  ])
  const { text } = decodeText(content)
  return { digest: entry.digest, current: true, text, body: splitFrontmatter(text).body, details }
}

export { readPackedDetails }
