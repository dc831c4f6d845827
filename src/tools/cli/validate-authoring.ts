import { mapParallel, PARALLEL_READS } from '../../core/concurrency.js'
import { basename, dirname, joinPath } from '../../core/paths.js'
import { plainLine } from '../../core/sanitize.js'
import { foldText } from '../../core/text/fold.js'
import type { TreeSkill } from '../../library/catalog/catalog-entry.js'
import type { Tree } from '../../library/catalog/read-tree.js'
import { messageKey } from '../../search/index/message-key.js'
import { fileReferences, findPlaceholders, resolveReference } from '../../skill/authoring.js'
import type { Diagnostic, DiagnosticCode } from '../../skill/diagnostics.js'
import { mayBePointer, pointerDiagnostic } from '../../skill/lfs-pointer.js'
import type { ListableSource } from '../../source/source.js'
import type { TriggerCase } from '../testing/trigger-case.js'
import { plural } from './io.js'
import { readSkillTriggers, readText } from './skill-triggers.js'
import { truncate } from './table.js'
import { readPlaceholders } from './templates.js'
import { sameNameDiagnostics } from './validate-copies.js'

const MAX_QUOTE = 60

export interface AuthoringOptions {
  /** Whether a path is in a folder that the source is part of, up to its repository. */
  isInProject(path: string): boolean
  /** Whether a path of the source is on the disk. What Git ignores, and junk, is there and not listed. */
  isOnDisk(path: string): boolean
  signal: AbortSignal | undefined
}

/** Finds mistakes of authors that a library tolerates: broken links, unfilled templates, and names and triggers that two skills have. */
export async function authoringDiagnostics(
  source: ListableSource,
  tree: Tree,
  { isInProject, isOnDisk, signal }: AuthoringOptions,
): Promise<Diagnostic[]> {
  const skills = tree.changed
  const paths = pathsOf((await source.list({ signal })).map(({ path }) => path))
  // The source of one skill does not list the files beside its folder.
  const [only] = skills.length === 1 ? skills : []
  const isListed = (path: string): boolean =>
    paths.has(path) ||
    (only !== undefined && only.entry.path !== '' && !path.startsWith(`${only.entry.path}/`))
  /** Whether a path is in a folder above a skill, such as its plugin. */
  const isAbove = (path: string, folder: string): boolean => {
    for (let above = folder; above !== ''; above = dirname(above)) {
      if (paths.has(joinPath(dirname(above), path))) return true
    }
    return isInProject(path)
  }
  /** Whether a path is in a skill that a text names. */
  const isInNamed = (path: string, text: string): boolean => {
    const words = new Set(text.split(/[^\p{L}\p{N}_-]+/u))
    return skills.some(
      ({ entry }) => words.has(entry.name) && paths.has(joinPath(entry.path, path)),
    )
  }
  const placeholders = await readPlaceholders()
  const triggers: (readonly TriggerCase[])[] = []
  const diagnostics = await mapParallel(skills, PARALLEL_READS, async (skill, index) => {
    triggers[index] = await readSkillTriggers(source, skill, signal)
    const text = await readText(source, skill.file, signal)
    if (text === undefined) return []
    return [
      ...brokenLinks(skill, text, { isListed, isAbove, isInNamed, isOnDisk }),
      ...unfilledTemplate(skill, text, placeholders),
      ...(await pointers(source, skill, signal)),
    ]
  })
  const sameNames = await sameNameDiagnostics(source, tree, signal)
  return [...diagnostics.flat(), ...sameNames, ...triggerConflicts(skills, triggers)]
}

/** Reports files of a skill that are pointers of Git LFS. */
async function pointers(
  source: ListableSource,
  { entry, details }: TreeSkill,
  signal: AbortSignal | undefined,
): Promise<Diagnostic[]> {
  const small = details.files.filter(({ size }) => mayBePointer(size))
  const found = await mapParallel(small, PARALLEL_READS, async ({ path }) => {
    const full = joinPath(entry.path, path)
    const result = await source.read(full, { signal })
    return typeof result === 'object' ? (pointerDiagnostic(full, result.bytes) ?? []) : []
  })
  return found.flat()
}

/** The files of a listing, and all their folders. */
function pathsOf(files: readonly string[]): ReadonlySet<string> {
  const paths = new Set<string>(['', ...files])
  for (const file of files) {
    for (let folder = dirname(file); !paths.has(folder); folder = dirname(folder)) paths.add(folder)
  }
  return paths
}

interface FileChecks extends Pick<AuthoringOptions, 'isOnDisk'> {
  /** Whether a path is in the source. */
  isListed(path: string): boolean
  isAbove(path: string, folder: string): boolean
  isInNamed(path: string, text: string): boolean
}

/** Words in the names of files that show how another one is written: `config.example.json`. */
const PATTERNS = ['example', 'sample', 'template', 'dist']

/** Whether a file is made from another one, which is there. */
function hasPattern(path: string, isListed: FileChecks['isListed']): boolean {
  const at = path.lastIndexOf('.')
  return PATTERNS.some(
    word =>
      isListed(`${path}.${word}`) || isListed(`${path.slice(0, at)}.${word}${path.slice(at)}`),
  )
}

function brokenLinks(
  { entry, file, details }: TreeSkill,
  text: string,
  { isListed, isAbove, isInNamed, isOnDisk }: FileChecks,
) {
  return fileReferences(text).flatMap(({ path, line, kind, before }) => {
    const resolved = resolveReference(entry.path, path)
    // A path that leaves the source cannot be checked.
    if (resolved === undefined || isListed(resolved)) return []
    // A command runs at the root of a project, so `scripts/` may be the folder there.
    const isElsewhere = (): boolean => isAbove(path, entry.path) || isInNamed(path, before)
    if (kind === 'mention' && (isElsewhere() || hasPattern(resolved, isListed))) return []
    const name = basename(resolved).toLowerCase()
    const similar = details.files.find(one => basename(one.path).toLowerCase() === name)
    const at = { path: file, line }
    const quoted = JSON.stringify(path)
    // Where case does not count, a path in other letters is on the disk, too.
    if (!similar && isOnDisk(resolved)) {
      const hint = 'name a file that is published with the skill'
      return warning('link-broken', `${quoted} exists, but is left out of the skill`, at, hint)
    }
    const hint = similar ? `did you mean ${similar.path}?` : 'add the file, or correct the path'
    return warning('link-broken', `${quoted} does not exist`, at, hint)
  })
}

function unfilledTemplate(
  { file }: TreeSkill,
  text: string,
  placeholders: readonly string[],
): Diagnostic[] {
  const [first, ...others] = findPlaceholders(text, placeholders)
  if (!first) return []
  const more = others.length > 0 ? ` and ${plural(others.length, 'more line')}` : ''
  const message = `Text of a template was not replaced: ${quote(first.text)}${more}`
  return [
    warning(
      'placeholder-text',
      message,
      { path: file, line: first.line },
      'replace it, or remove it',
    ),
  ]
}

function warning(
  code: DiagnosticCode,
  message: string,
  at: { path: string; line: number },
  hint: string,
): Diagnostic {
  const { path, line } = at
  return { code, severity: 'warning', message, path, ...(line > 0 ? { line } : {}), hint }
}

function quote(text: string): string {
  return JSON.stringify(truncate(text, MAX_QUOTE))
}

/** Reports triggers that an earlier skill claims, unless both accept a common skill. */
function triggerConflicts(
  skills: readonly TreeSkill[],
  triggersOf: readonly (readonly TriggerCase[])[],
): Diagnostic[] {
  const diagnostics: Diagnostic[] = []
  const claimed = new Map<string, Claim[]>()
  for (const [index, { entry }] of skills.entries()) {
    for (const trigger of triggersOf[index] ?? []) {
      const claim = { folder: entry.path, names: trigger.skills ?? [entry.name], trigger }
      const key = messageKey(trigger.message)
      const earlier = claimed.get(key) ?? []
      claimed.set(key, [...earlier, claim])
      const other = earlier.find(one => isConflict(one, claim))
      if (!other) continue
      const { file, line } = other.trigger
      const names = other.names.join(', ') || 'no skill'
      const message = `The trigger ${quote(plainLine(trigger.message))} is claimed for ${names} in ${file}:${line}`
      const hint = 'keep one of them, or accept both in triggers.yaml with skill: [one, other]'
      diagnostics.push(
        warning('trigger-conflict', message, { path: trigger.file, line: trigger.line }, hint),
      )
    }
  }
  return diagnostics
}

interface Claim {
  folder: string
  names: readonly string[]
  trigger: TriggerCase
}

function isConflict(a: Claim, b: Claim): boolean {
  if (a.folder === b.folder || (a.names.length === 0 && b.names.length === 0)) return false
  const accepted = new Set(a.names.map(foldText))
  return !b.names.some(name => accepted.has(foldText(name)))
}
