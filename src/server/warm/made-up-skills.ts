import { digestOf, shortDigest } from '../../core/digest.js'
import { writeCatalog } from '../../library/catalog/packed-catalog.js'
import type { CatalogEntry } from '../../library/catalog/types.js'
import { createSegmentBuilder } from '../../search/index/build.js'
import type { SkillModel } from '../../search/model/types.js'
import { CATALOG_FILE } from '../../source/catalog-file.js'

const TASKS = ['convert', 'review', 'summarize', 'translate', 'plan', 'compare', 'draft', 'publish'] as const
const THINGS = [
  'spreadsheets',
  'invoices',
  'slides',
  'photos',
  'contracts',
  'recipes',
  'databases',
  '会议记录',
] as const

/** Messages for `madeUpLibrary`: of one word and of many, in two scripts. */
export const MESSAGES: readonly string[] = THINGS.flatMap((thing, at) => [
  `I have two old ${thing} and don't know how to ${TASKS[(at + 3) % TASKS.length]} them before Friday, can you help?`,
  `${thing}帮我整理一下`,
])

/** A packed library of sixty-four made-up skills: every task with every thing. */
export async function madeUpLibrary(
  embedder: SkillModel | undefined,
): Promise<Readonly<Record<string, Uint8Array<ArrayBuffer>>>> {
  const builder = createSegmentBuilder({ embedder })
  const skills: CatalogEntry[] = []
  for (const task of TASKS)
    for (const thing of THINGS) {
      const name = `${task}-${thing}`
      const document = {
        name,
        description: `Helps to ${task} ${thing}. Use when the user wants to ${task} ${thing} or asks about them.`,
        tags: [thing],
        messages: [`${task} these ${thing} for me`, `帮我处理${thing}`],
        body: `Read the ${thing} first. Then ${task} them, and report what changed.`,
      }
      await embedder?.prepare?.(document.description)
      builder.add(document)
      const digest = digestOf(name)
      skills.push({
        path: name,
        name,
        description: document.description,
        tags: document.tags,
        digest,
        details: digest,
        tokens: { metadata: 30, instructions: 20 },
      })
    }
  const segment = builder.finish()
  const file = `${shortDigest(digestOf(segment))}.seg`
  const segments = [{ file, skills: skills.length, dead: [] }]
  const catalog = await writeCatalog({ format: 'skillshelf/1', name: 'made-up', skills, segments, diagnostics: [] })
  return { [CATALOG_FILE]: catalog, [file]: segment }
}
