import { mapParallel, PARALLEL_READS } from '../../core/concurrency.js'
import { basename, dirname } from '../../core/paths.js'
import { plainLine } from '../../core/sanitize.js'
import { foldText } from '../../core/text/fold.js'
import type { Tree } from '../../library/catalog/read-tree.js'
import type { TreeSkill } from '../../library/catalog/types.js'
import { fileReferences, findPlaceholders, resolveReference, similarField } from '../../skill/authoring.js'
import type { Diagnostic, DiagnosticCode } from '../../skill/diagnostics.js'
import { readYaml } from '../../skill/yaml.js'
import { plural } from './io.js'
import type { FolderSource } from './open-library.js'
import { readSkillTriggers, readText, type Trigger } from './skill-triggers.js'
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
    const text = await readText(source, skill.file, signal)
    if (text === undefined) return []
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
    const message = `The field ${JSON.stringify(key)} is unknown and not read`
    return warning('field-misspelled', message, { path: file, line }, `did you mean ${similar}?`)
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
    const hint = similar ? `did you mean ${similar.path}?` : 'add the file, or correct the path'
    return warning('link-broken', `${JSON.stringify(path)} does not exist`, { path: file, line }, hint)
  })
}

function unfilledTemplate({ file }: TreeSkill, text: string, placeholders: readonly string[]): Diagnostic[] {
  const [first, ...others] = findPlaceholders(text, placeholders)
  if (!first) return []
  const more = others.length > 0 ? ` and ${plural(others.length, 'more line')}` : ''
  const message = `Text of a template was not replaced: ${quote(first.text)}${more}`
  return [warning('placeholder-text', message, { path: file, line: first.line }, 'replace it, or remove it')]
}

function warning(
  code: DiagnosticCode,
  message: string,
  { path, line }: { path: string; line: number },
  hint: string,
): Diagnostic {
  return { code, severity: 'warning', message, path, ...(line > 0 ? { line } : {}), hint }
}

function quote(text: string): string {
  return JSON.stringify(truncate(text, MAX_QUOTE))
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
      const names = other.names.join(', ') || 'no skill'
      const message = `The trigger ${quote(plainLine(trigger.message))} is claimed for ${names} in ${path}:${line}`
      const hint = 'keep one of them, or accept both in triggers.yaml with skill: [one, other]'
      diagnostics.push(warning('trigger-conflict', message, trigger, hint))
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
