import { structuredPatch } from 'diff'
import { plainLine } from '../../../core/sanitize.js'
import type { SkillLibrary } from '../../../library/api/skill-library.js'
import { exportSkill } from '../../../library/export-skill.js'
import type { SkillSummary } from '../../../skill/skill.js'
import { type CommandDefinition, OPTIONS, SKILLS_HELP } from '../command.js'
import { EXIT, type Io, plural, printJson, printLines } from '../io.js'
import { openSkills } from '../open-library.js'
import { colorsFor } from '../table.js'

interface SkillChange {
  skill: string
  change: 'added' | 'removed' | 'changed'
  /** Lines of SKILL.md: ` ` the same, `-` removed, `+` added. */
  lines: string[]
  /** Other files that were added, removed or changed. */
  files: { path: string; change: 'added' | 'removed' | 'changed' }[]
}

const CONTEXT_LINES = 3
/** S6: with more changed lines, or after this time in ms, what differs is printed whole: the fewest changes would take long to find. */
const MAX_EDITS = 5_000
const MAX_TIME = 2_000
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

async function diff(
  io: Io,
  old: string,
  now: string,
  { json }: { json?: boolean },
): Promise<number> {
  const { library: before } = await openSkills(io, old, { meaning: false })
  await using _before = before
  const { library: after } = await openSkills(io, now, { meaning: false })
  await using _after = after
  const changes = await compareLibraries(before, after, io.signal)
  if (json) printJson(io, changes)
  else {
    for (const change of changes) printChange(io, change)
    printLines(
      io,
      changes.length === 0
        ? 'The skills are the same'
        : `${plural(changes.length, 'skill')} differ`,
    )
  }
  return changes.length === 0 ? EXIT.ok : EXIT.failed
}

async function compareLibraries(
  before: SkillLibrary,
  after: SkillLibrary,
  signal: AbortSignal | undefined,
) {
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
  for (const skill of snapshot.skills) {
    skills.set(skills.has(skill.name) ? `${skill.name} (${skill.path})` : skill.name, skill)
  }
  return skills
}

/** The files of a skill by path, and its SKILL.md, whatever its spelling. */
async function readFiles(
  library: SkillLibrary,
  summary: SkillSummary | undefined,
  signal: AbortSignal | undefined,
) {
  if (!summary) return new Map<string, Uint8Array>()
  const { name, files } = await exportSkill(library, summary.id, { signal })
  return new Map(files.map(({ path, data }) => [path.slice(name.length + 1), data]))
}

function differentLines(old: Uint8Array | undefined, now: Uint8Array | undefined): string[] {
  const [before, after] = [old, now].map(bytes => linesOf(new TextDecoder().decode(bytes)))
  return lineDiff(before ?? [], after ?? [])
}

/** Lines with their line feeds. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

/** Lines are compared by numbers, so that long ones that are nearly the same take no time. */
function lineDiff(before: readonly string[], after: readonly string[]): string[] {
  const numbers = new Map<string, number>()
  const lines: string[] = []
  const numbered = (all: readonly string[]): string =>
    all
      .map(line => {
        const number = numbers.get(line) ?? lines.push(line) - 1
        numbers.set(line, number)
        return `${number}\n`
      })
      .join('')
  const options = { context: CONTEXT_LINES, maxEditLength: MAX_EDITS, timeout: MAX_TIME }
  const patch = structuredPatch('', '', numbered(before), numbered(after), '', '', options)
  const shown = (sign: string, line = ''): string => sign + line.replace(/\n$/, '')
  if (!patch) {
    const { removed, added } = middle(before, after)
    return [...removed.map(line => shown('-', line)), ...added.map(line => shown('+', line))]
  }
  return patch.hunks.flatMap(({ lines: changed }, index) => [
    ...(index > 0 ? ['…'] : []),
    ...changed.map(line => shown(line.charAt(0), lines[Number(line.slice(1))])),
  ])
}

/** The lines between the common start and the common end: `- ` removed, `+ ` added. Line ends do not count. */
export function changedLines(before: string, after: string): string[] {
  const { removed, added } = middle(before.split(/\r?\n/), after.split(/\r?\n/))
  return [...removed.map(line => `- ${line}`), ...added.map(line => `+ ${line}`)]
}

/** What is between the common start and the common end. */
function middle(
  before: readonly string[],
  after: readonly string[],
): { removed: string[]; added: string[] } {
  const most = Math.min(before.length, after.length)
  let start = 0
  while (start < most && before[start] === after[start]) start++
  let end = 0
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end++
  return {
    removed: before.slice(start, before.length - end),
    added: after.slice(start, after.length - end),
  }
}

function printChange(io: Io, { skill, change, lines, files }: SkillChange): void {
  const colors = colorsFor(io)
  const paint = (line: string): string =>
    line.startsWith('+') ? colors.green(line) : line.startsWith('-') ? colors.red(line) : line
  printLines(
    io,
    colors.bold(`${change}  ${plainLine(skill)}`),
    lines.map(line => `  ${paint(line)}`),
    files.map(file => `  ${file.change}  ${plainLine(file.path)}`),
    '',
  )
}
