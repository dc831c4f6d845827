import { uniqueNames } from '../../../agent/session/prompt.js'
import type { SkillLibrary } from '../../../library/api/skill-library.js'
import { openLibrary } from '../../../library/open-library.js'
import { bundled } from '../../../search/model/bundled/package.js'
import type { Skill } from '../../../skill/skill.js'
import { memory } from '../../../source/memory.js'
import { HOSTS } from '../../hook/hosts/hosts.js'
import {
  type CommandDefinition,
  type CommonFlags,
  OPTIONS,
  parsePositiveInteger,
  SKILLS_HELP,
} from '../command.js'
import { EXIT, type Io, plural, printJson, printLines } from '../io.js'
import { openSkills } from '../open-library.js'
import { type Column, colorsFor, printTable } from '../table.js'

type BudgetFlags = CommonFlags & { context: number }

const LISTINGS = Object.values(HOSTS).flatMap(({ listing }) => listing ?? [])
/** Shares of the context that hosts give to their list of skills, in percent. */
const SHARES = [...new Set(LISTINGS.map(({ share }) => share))].sort((a, b) => a - b)
const CHARACTERS_PER_TOKEN = 4
/** Characters of one description that a host shows at most. */
const MAX_DESCRIPTION = Math.min(...LISTINGS.flatMap(({ description }) => description ?? []))
/** `- name: ` and the line break. */
const LINE = 5
/** Messages that a shorter description is tried with. */
const MAX_MESSAGES = 16

/** What a host shows of a skill: characters of its description, `0` for the name only, `undefined` if it is not listed. */
type Shown = number | undefined

interface SkillBudget {
  id: string
  name: string
  description: number
  /** By share of the context. */
  shown: Readonly<Record<string, Shown>>
  /** Characters of the first sentences that find the skill as well. Absent if all are needed. */
  enough?: number
}

export const budgetCommand: CommandDefinition = (command, run) =>
  command('budget', 'Show what a coding agent lists of skills', [
    'budget ~/.claude/skills',
    'budget skills --context 128000 --json',
  ])
    .argument('[dir]', SKILLS_HELP)
    .addOption(OPTIONS.sameAsDir)
    .option('--context <tokens>', "size of the model's context", parsePositiveInteger, 200_000)
    .addOption(OPTIONS.json)
    .action(run(budget))

async function budget(io: Io, dir: string | undefined, flags: BudgetFlags): Promise<number> {
  const { library } = await openSkills(io, dir ?? flags.skills)
  await using _ = library
  const listed = library.snapshot.skills.filter(
    ({ disableModelInvocation }) => !disableModelInvocation,
  )
  const skills = await Promise.all(listed.map(({ id }) => library.get(id, { signal: io.signal })))
  const limits = SHARES.map(share =>
    Math.floor((flags.context * share * CHARACTERS_PER_TOKEN) / 100),
  )
  const shown = limits.map(limit => fitList(skills, limit))
  const enough = await enoughOf(library, skills, io)
  const rows = skills.map(
    ({ id, name, description }, index): SkillBudget => ({
      id,
      name,
      description: description.length,
      shown: Object.fromEntries(SHARES.map((share, at) => [share, shown[at]?.[index]])),
      ...(enough[index] === undefined ? {} : { enough: enough[index] }),
    }),
  )
  const characters = Object.fromEntries(SHARES.map((share, index) => [share, limits[index]]))
  if (flags.json) printJson(io, { context: flags.context, characters, skills: rows })
  else printBudget(io, rows, limits)
  return EXIT.ok
}

/** Shows what fits: every name if possible, and as much of each description as there is room for. */
function fitList(skills: readonly Skill[], limit: number): Shown[] {
  const lengths = skills.map(({ description }) => Math.min(description.length, MAX_DESCRIPTION))
  let room = limit
  const shown: Shown[] = []
  for (const [index, { name }] of skills.entries()) {
    room -= name.length + LINE
    shown[index] = room < 0 ? undefined : 0
  }
  if (room < 0) return shown
  // Short descriptions leave their room to the long ones.
  const byLength = lengths
    .map((length, index) => ({ length, index }))
    .sort((a, b) => a.length - b.length)
  for (const [done, { length, index }] of byLength.entries()) {
    const part = Math.min(length, Math.floor(room / (byLength.length - done)))
    shown[index] = part
    room -= part
  }
  return shown
}

/** For each skill, the characters of its first sentences, if they find it by every text by which its whole description does. */
async function enoughOf(
  library: SkillLibrary,
  skills: readonly Skill[],
  io: Io,
): Promise<(number | undefined)[]> {
  const first = skills.map(({ description }) => sentencesOf(description)[0] ?? description)
  const files = skills.map(
    ({ path, name, messages = [], instructions }, index): [string, string][] => {
      const fields = `name: ${JSON.stringify(name)}\ndescription: ${JSON.stringify(first[index])}`
      const folder = path === '' ? '' : `${path}/`
      return [
        [`${folder}SKILL.md`, `---\n${fields}\n---\n\n${instructions}\n`],
        [`${folder}messages.txt`, messages.join('\n')],
      ]
    },
  )
  const short = await openLibrary(memory(Object.fromEntries(files.flat()), { name: 'short' }), {
    embedder: bundled(),
    modelTimeout: Number.POSITIVE_INFINITY,
    onDiagnostic: () => {},
  })
  await using _ = short
  const isFirst = async (one: SkillLibrary, text: string, path: string): Promise<boolean> => {
    const [match] = (await one.search(text, { limit: 1, signal: io.signal })).matches
    return one.snapshot.skills.find(({ id }) => id === match?.id)?.path === path
  }
  return await Promise.all(
    skills.map(async ({ description, path, messages = [] }, index) => {
      const sentence = first[index] as string
      if (sentence.length >= description.length) return undefined
      let found = 0
      for (const text of [...sentencesOf(description), ...messages.slice(0, MAX_MESSAGES)]) {
        if (!(await isFirst(library, text, path))) continue
        found++
        if (!(await isFirst(short, text, path))) return undefined
      }
      return found > 0 ? sentence.length : undefined
    }),
  )
}

function sentencesOf(text: string): string[] {
  return text.split(/(?<=[.!?])\s+|(?<=[。！？])/).filter(sentence => sentence.trim() !== '')
}

function printBudget(io: Io, rows: readonly SkillBudget[], limits: readonly number[]): void {
  const colors = colorsFor(io)
  const label = uniqueNames(rows)
  const cell = (shown: Shown, length: number) => {
    if (shown === undefined) return { text: 'not listed', paint: colors.red }
    if (shown > 0 && shown >= length) return 'all'
    return { text: shown === 0 ? 'name only' : String(shown), paint: colors.yellow }
  }
  const heads = ['description', ...SHARES.map(share => `at ${share} %`), 'enough']
  const cells = rows.map(row => [
    { text: label(row), paint: colors.bold },
    String(row.description),
    ...SHARES.map(share => cell(row.shown[share], row.description)),
    row.enough === undefined ? '' : String(row.enough),
  ])
  printTable(io, [['skill', 'cut'], ...heads.map((head): Column => [head, 'right'])], cells)
  const lines = SHARES.map((share, index) => {
    const count = (test: (shown: Shown, row: SkillBudget) => boolean) =>
      rows.filter(row => test(row.shown[share], row)).length
    const whole = count((shown, row) => shown === row.description)
    const unlisted = count(shown => shown === undefined)
    const named = count((shown, { description }) => shown === 0 && description > 0)
    return `${share} % of the context, ${(limits[index] ?? 0).toLocaleString('en')} characters: ${whole} whole, ${rows.length - whole - named - unlisted} cut, ${named} by name only, ${unlisted} not listed`
  })
  const shorter = rows.filter(({ enough }) => enough !== undefined).length
  printLines(
    io,
    '',
    lines,
    `${plural(shorter, 'skill')} found as well by the first sentence of the description`,
  )
}
