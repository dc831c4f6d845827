import { mapParallel, PARALLEL_READS } from '../../core/concurrency.js'
import { basename, dirname } from '../../core/paths.js'
import { plainLine } from '../../core/sanitize.js'
import { foldText } from '../../core/text/fold.js'
import type { Tree } from '../../library/catalog/read-tree.js'
import type { TreeSkill } from '../../library/catalog/types.js'
import { fileReferences, findPlaceholders, resolveReference, similarField } from '../../skill/authoring.js'
import { decodeText } from '../../skill/decode.js'
import type { Diagnostic } from '../../skill/diagnostics.js'
import { readYaml } from '../../skill/yaml.js'
import { plural } from './io.js'
import type { FolderSource } from './open-library.js'
import { readSkillTriggers, type Trigger } from './skill-triggers.js'
import { truncate } from './table.js'
import { readPlaceholders } from './templates.js'

const MAX_QUOTE = 60

/** Finds mistakes of authors that a library tolerates: misspelled fields, broken links, unfilled templates, and triggers that two skills claim. */
export async function authoringDiagnostics(
  source: FolderSource,
  { changed: skills }: Tree,
  signal: AbortSignal | undefined,
): Promise<Diagnostic[]> {
  const paths = pathsOf((await source.list({ signal })).map(({ path }) => path))
  // The source of one skill does not list the files beside its folder.
  const [only] = skills.length === 1 ? skills : []
  const isListed = (path: string): boolean =>
    paths.has(path) || (only !== undefined && only.entry.path !== '' && !path.startsWith(`${only.entry.path}/`))
  const placeholders = await readPlaceholders()
  const triggers: { skill: TreeSkill; triggers: readonly Trigger[] }[] = []
  const diagnostics = await mapParallel(skills, PARALLEL_READS, async (skill, index) => {
    triggers[index] = { skill, triggers: await readSkillTriggers(source, skill, signal) }
    const result = await source.read(skill.file, { signal })
    if (!result || result === 'unchanged') return []
    const { text } = decodeText(result.bytes)
    return [
      ...(await misspelledFields(skill, text)),
      ...brokenLinks(skill, text, isListed),
      ...unfilledTemplate(skill, text, placeholders),
    ]
  })
  return [...diagnostics.flat(), ...triggerConflicts(triggers)]
}

/** The files of a listing, and all their folders. */
function pathsOf(files: readonly string[]): ReadonlySet<string> {
  const paths = new Set<string>(['', ...files])
  for (const file of files)
    for (let folder = dirname(file); !paths.has(folder); folder = dirname(folder)) paths.add(folder)
  return paths
}

async function misspelledFields({ file, details }: TreeSkill, text: string): Promise<Diagnostic[]> {
  if (!details.diagnostics.some(({ code }) => code === 'unknown-field')) return []
  const { values } = await readYaml(details.frontmatter, 1)
  return Object.keys(values).flatMap(key => {
    const similar = similarField(key)
    if (similar === undefined || Object.hasOwn(values, similar)) return []
    const line = text.split('\n').findIndex(line => line.startsWith(key)) + 1
    return [
      {
        code: 'field-misspelled' as const,
        severity: 'warning' as const,
        message: `The field ${JSON.stringify(key)} is unknown and not read`,
        path: file,
        ...(line > 0 ? { line } : {}),
        hint: `did you mean ${similar}?`,
      },
    ]
  })
}

function brokenLinks(
  { entry, file, details }: TreeSkill,
  text: string,
  isListed: (path: string) => boolean,
): Diagnostic[] {
  return fileReferences(text).flatMap(({ path, line }) => {
    const resolved = resolveReference(entry.path, path)
    // A path that leaves the source cannot be checked.
    if (resolved === undefined || isListed(resolved)) return []
    const name = basename(resolved).toLowerCase()
    const similar = details.files.find(one => basename(one.path).toLowerCase() === name)
    return [
      {
        code: 'link-broken' as const,
        severity: 'warning' as const,
        message: `${JSON.stringify(path)} does not exist`,
        path: file,
        line,
        hint: similar ? `did you mean ${similar.path}?` : 'add the file, or correct the path',
      },
    ]
  })
}

function unfilledTemplate({ file }: TreeSkill, text: string, placeholders: readonly string[]): Diagnostic[] {
  const found = findPlaceholders(text, placeholders)
  const [first] = found
  if (!first) return []
  const others = found.length - 1
  return [
    {
      code: 'placeholder-text',
      severity: 'warning',
      message: `Text of a template was not replaced: ${JSON.stringify(truncate(first.text, MAX_QUOTE))}${others > 0 ? ` and ${plural(others, 'more line')}` : ''}`,
      path: file,
      line: first.line,
      hint: 'replace it, or remove it',
    },
  ]
}

/** Reports triggers that an earlier skill claims, unless both accept a common skill. */
function triggerConflicts(claims: readonly { skill: TreeSkill; triggers: readonly Trigger[] }[]): Diagnostic[] {
  const diagnostics: Diagnostic[] = []
  const claimed = new Map<string, Claim[]>()
  for (const { skill, triggers } of claims)
    for (const trigger of triggers) {
      const claim = { folder: skill.entry.path, names: trigger.skills ?? [skill.entry.name], trigger }
      const key = messageKey(trigger.message)
      const earlier = claimed.get(key) ?? []
      claimed.set(key, [...earlier, claim])
      const other = earlier.find(one => isConflict(one, claim))
      if (!other) continue
      const { path, line } = other.trigger
      diagnostics.push({
        code: 'trigger-conflict',
        severity: 'warning',
        message: `The trigger ${JSON.stringify(truncate(plainLine(trigger.message), MAX_QUOTE))} is claimed for ${other.names.join(', ') || 'no skill'} in ${path}:${line}`,
        path: trigger.path,
        line: trigger.line,
        hint: 'keep one of them, or accept both in triggers.yaml with skill: [one, other]',
      })
    }
  return diagnostics
}

interface Claim {
  folder: string
  names: readonly string[]
  trigger: Trigger
}

function isConflict(a: Claim, b: Claim): boolean {
  if (a.folder === b.folder || (a.names.length === 0 && b.names.length === 0)) return false
  const accepted = new Set(a.names.map(foldText))
  return !b.names.some(name => accepted.has(foldText(name)))
}

function messageKey(message: string): string {
  return foldText(message)
    .replace(/\s+/g, ' ')
    .replace(/[.!?。！？]+$/, '')
}
