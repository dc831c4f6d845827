import { structuredPatch } from 'diff'
import { plainLine, showHidden } from '../../core/sanitize.js'
import type { SkillLibrary } from '../../library/api/skill-library.js'
import { exportSkill } from '../../library/export-skill.js'
import type { SkillSummary } from '../../skill/skill.js'
import { type CommandDefinition, OPTIONS, SKILLS_HELP } from './command.js'
import { EXIT, type Io, plural, printJson, printLines } from './io.js'
import { openSkills } from './open-library.js'
import { colorsFor } from './table.js'

interface SkillChange {
  skill: string
  change: 'added' | 'removed' | 'changed'
  /** Lines of SKILL.md: ` ` the same, `-` removed, `+` added. */
  lines: string[]
  /** Other files that were added, removed or changed. */
  files: { path: string; change: 'added' | 'removed' | 'changed' }[]
}

const CONTEXT_LINES = 3
/** Texts with more changed lines are printed whole, because finding the fewest changes would take long. */
const MAX_EDITS = 5_000
const SKILL_FILE = 'SKILL.md'
const SKILL_HELP = SKILLS_HELP.slice(0, SKILLS_HELP.indexOf(' ('))

export const diffCommand: CommandDefinition = (command, run) =>
  command('diff', 'Show what differs between two versions of skills', [
    'diff .claude/skills https://example.com/skills/',
    'diff public/skills skills --json',
  ])
    .argument('<old>', `${SKILL_HELP}, as it is`)
    .argument('<new>', `${SKILL_HELP}, as it would be`)
    .addOption(OPTIONS.json)
    .action(run(diff))

async function diff(io: Io, old: string, now: string, { json }: { json?: boolean }): Promise<number> {
  const { library: before } = await openSkills(io, old, { meaning: false })
  await using _before = before
  const { library: after } = await openSkills(io, now, { meaning: false })
  await using _after = after
  const changes = await compareLibraries(before, after, io.signal)
  if (json) printJson(io, changes)
  else {
    for (const change of changes) printChange(io, change)
    printLines(io, changes.length === 0 ? 'The skills are the same' : `${plural(changes.length, 'skill')} differ`)
  }
  return changes.length === 0 ? EXIT.ok : EXIT.failed
}

async function compareLibraries(before: SkillLibrary, after: SkillLibrary, signal: AbortSignal | undefined) {
  const [old, now] = [byName(before), byName(after)]
  const changes: SkillChange[] = []
  for (const skill of [...new Set([...old.keys(), ...now.keys()])].sort()) {
    const [a, b] = await Promise.all([
      readFiles(before, old.get(skill), signal),
      readFiles(after, now.get(skill), signal),
    ])
    const names = [...new Set([...a.keys(), ...b.keys()])].sort()
    const files = names.flatMap(path => {
      const [one, other] = [a.get(path), b.get(path)]
      if (one && other && Buffer.compare(one, other) === 0) return []
      return { path, change: !one ? 'added' : !other ? 'removed' : 'changed' } as const
    })
    if (files.length === 0) continue
    const change = !old.has(skill) ? 'added' : !now.has(skill) ? 'removed' : 'changed'
    const lines = differentLines(a.get(SKILL_FILE), b.get(SKILL_FILE))
    changes.push({ skill, change, lines, files: files.filter(({ path }) => path !== SKILL_FILE) })
  }
  return changes
}

/** Skills by name. A name that several skills have is followed by the path. */
function byName({ snapshot }: SkillLibrary): Map<string, SkillSummary> {
  const skills = new Map<string, SkillSummary>()
  for (const skill of snapshot.skills)
    skills.set(skills.has(skill.name) ? `${skill.name} (${skill.path})` : skill.name, skill)
  return skills
}

/** The files of a skill by path, and its SKILL.md, whatever its spelling. */
async function readFiles(library: SkillLibrary, summary: SkillSummary | undefined, signal: AbortSignal | undefined) {
  if (!summary) return new Map<string, Uint8Array>()
  const { name, files } = await exportSkill(library, summary.id, { signal })
  return new Map(files.map(({ path, data }) => [path.slice(name.length + 1), data]))
}

function differentLines(old: Uint8Array | undefined, now: Uint8Array | undefined): string[] {
  const [before, after] = [old, now].map(bytes => new TextDecoder().decode(bytes))
  const options = { context: CONTEXT_LINES, maxEditLength: MAX_EDITS }
  const patch = structuredPatch('', '', before ?? '', after ?? '', '', '', options)
  const all = (text = '', sign: string): string[] => text.split('\n').map(line => sign + line)
  if (!patch) return [...all(before, '-'), ...all(after, '+')]
  return patch.hunks.flatMap(({ lines }, index) => [
    ...(index > 0 ? ['…'] : []),
    ...lines.filter(line => !line.startsWith('\\')),
  ])
}

/** The lines between the common start and the common end: `- ` removed, `+ ` added. */
export function changedLines(before: string, after: string): string[] {
  const [old, now] = [before.split('\n'), after.split('\n')]
  const most = Math.min(old.length, now.length)
  let start = 0
  while (start < most && old[start] === now[start]) start++
  let end = 0
  while (end < most - start && old.at(-1 - end) === now.at(-1 - end)) end++
  const lines = (all: string[], sign: string) => all.slice(start, all.length - end).map(line => `${sign} ${line}`)
  return [...lines(old, '-'), ...lines(now, '+')]
}

function printChange(io: Io, { skill, change, lines, files }: SkillChange): void {
  const colors = colorsFor(io)
  const paint = (line: string): string => {
    // A lone carriage return would start a line that nothing marks as changed.
    const visible = showHidden(line.replaceAll('\r', '[U+000D]'))
    return line.startsWith('+') ? colors.green(visible) : line.startsWith('-') ? colors.red(visible) : visible
  }
  printLines(
    io,
    colors.bold(`${change}  ${plainLine(skill)}`),
    ...lines.map(line => `  ${paint(line)}`),
    ...files.map(file => `  ${file.change}  ${plainLine(file.path)}`),
    '',
  )
}
