import { mapParallel, PARALLEL_READS } from '../../core/concurrency.js'
import { digestOfLines } from '../../core/digest.js'
import { joinPath, listPaths } from '../../core/paths.js'
import type { TreeSkill } from '../../library/catalog/catalog-entry.js'
import { ENVIRONMENT, mergeCopies } from '../../library/catalog/merge-copies.js'
import type { Tree } from '../../library/catalog/read-tree.js'
import { createSegmentBuilder } from '../../search/index/build.js'
import { openSegment } from '../../search/index/open.js'
import { areNearCopies } from '../../search/match/near-copies.js'
import type { Diagnostic } from '../../skill/diagnostics.js'
import type { SkillSource } from '../../source/source.js'

/** Files that are named in a message. */
const MAX_FILES = 5

/**
 * Reports skills of one name. Copies are one skill. Near copies are two skills that find the same messages, and nobody can tell which one
 * is used. Others are told apart by their ids only, and only one of them is published under the name.
 */
export async function sameNameDiagnostics(
  source: SkillSource,
  { changed, contents }: Tree,
  signal: AbortSignal | undefined,
): Promise<Diagnostic[]> {
  const skills = mergeCopies(changed, contents)
  const copies = skills.flatMap(({ entry, file }): Diagnostic[] => {
    if (!entry.copies) return []
    const message = `The same skill is in ${listPaths(entry.copies, entry.copies.length)}`
    return [{ code: 'skill-copy', severity: 'info', message, path: file }]
  })
  const first = new Map<string, TreeSkill>()
  const pairs: [other: TreeSkill, skill: TreeSkill][] = []
  for (const skill of skills) {
    const { name, path } = skill.entry
    // Skills of two environments are never in one list.
    const key = `${ENVIRONMENT.exec(path)?.[0] ?? ''}${name}`
    const other = first.get(key)
    if (other) pairs.push([other, skill])
    else first.set(key, skill)
  }
  const reported = await mapParallel(pairs, PARALLEL_READS, async ([other, skill]) => {
    const { file: path, entry } = skill
    if (!isNear(other, skill)) {
      const message = `${other.file} has the same name, ${JSON.stringify(entry.name.slice(0, 60))}`
      const code = 'name-duplicate' as const
      return { code, severity: 'warning' as const, message, path, hint: 'rename one of them' }
    }
    const differences = await differencesOf(source, other, skill, signal)
    return {
      code: 'skill-near-copy' as const,
      severity: 'warning' as const,
      message: `Nearly a copy of ${other.file}: ${differences.join(', ')}`,
      path,
      hint: 'make them equal, so that they are one skill, or rename or remove one of them',
    }
  })
  return [...copies, ...reported]
}

function isNear(a: TreeSkill, b: TreeSkill): boolean {
  const builder = createSegmentBuilder()
  for (const { entry, details, body } of [a, b]) {
    builder.add({ ...entry, whenToUse: details.metadata.whenToUse, body })
  }
  const segment = openSegment(builder.finish())
  return segment !== undefined && areNearCopies(segment, 0, 1)
}

/** What differs, in words. */
async function differencesOf(
  source: SkillSource,
  a: TreeSkill,
  b: TreeSkill,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const isOther = (text: (skill: TreeSkill) => string): boolean =>
    text(a).replaceAll('\r\n', '\n') !== text(b).replaceAll('\r\n', '\n')
  const hasOtherDescription = isOther(({ entry }) => entry.description)
  const hasOtherFields = isOther(({ details }) => details.frontmatter)
  const parts = [
    ...(hasOtherDescription ? ['the description'] : []),
    ...(hasOtherFields && !hasOtherDescription ? ['the frontmatter'] : []),
    ...(isOther(({ body }) => body) ? ['the instructions'] : []),
    ...(await differentFiles(source, a, b, signal)),
  ]
  const shown = parts.length > 0 ? parts.slice(0, MAX_FILES) : ['the SKILL.md']
  const more = parts.length - shown.length
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].map((part, index, all) =>
    index === all.length - 1 ? `${part} ${all.length === 1 ? 'differs' : 'differ'}` : part,
  )
}

async function differentFiles(
  source: SkillSource,
  a: TreeSkill,
  b: TreeSkill,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const pathsOf = ({ details }: TreeSkill): ReadonlySet<string> =>
    new Set(details.files.map(({ path }) => path))
  const [inA, inB] = [pathsOf(a), pathsOf(b)]
  const digest = async ({ entry }: TreeSkill, path: string): Promise<string> => {
    const result = await source.read(joinPath(entry.path, path), { signal })
    return typeof result === 'object' ? digestOfLines(result.bytes) : ''
  }
  const paths = [...new Set([...inA, ...inB])].sort()
  const isDifferent = await mapParallel(paths, PARALLEL_READS, async path => {
    if (!inA.has(path) || !inB.has(path)) return true
    return (await digest(a, path)) !== (await digest(b, path))
  })
  return paths.filter((_, index) => isDifferent[index])
}
