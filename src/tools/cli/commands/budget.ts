import { uniqueNames } from '../../../agent/session/prompt.js'
import type { SkillLibrary } from '../../../library/api/skill-library.js'
import { bundled } from '../../../search/model/bundled/package.js'
import type { Skill, SkillId } from '../../../skill/skill.js'
import { openDraft } from '../../listing/draft.js'
import {
  countShown,
  fitList,
  listCharacters,
  listedSkills,
  type Shown,
  type ShownAs,
} from '../../listing/fit-list.js'
import { LISTINGS } from '../../listing/host-listings.js'
import { shortenDescriptions } from '../../listing/shorten.js'
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

/** Shares of the context that hosts give to their list of skills, in percent. */
const SHARES = LISTINGS.map(({ share }) => share)

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
  const listed = listedSkills(library.snapshot.skills)
  const skills = await Promise.all(listed.map(({ id }) => library.get(id, { signal: io.signal })))
  const limits = LISTINGS.map(listing => listCharacters(listing, flags.context))
  const shown = LISTINGS.map(listing => fitList(skills, listing, flags.context))
  const enough = await enoughOf(library, skills, io)
  const rows = skills.map(({ id, name, description }, index): SkillBudget => {
    const sentence = enough.get(id)
    return {
      id,
      name,
      description: description.length,
      shown: Object.fromEntries(SHARES.map((share, at) => [share, shown[at]?.[index]])),
      ...(sentence === undefined ? {} : { enough: sentence.length }),
    }
  })
  const characters = Object.fromEntries(SHARES.map((share, index) => [share, limits[index]]))
  if (flags.json) printJson(io, { context: flags.context, characters, skills: rows })
  else {
    printRows(io, rows)
    printSummary(io, rows, {
      limits,
      counts: shown.map(one => countShown(skills, one)),
    })
  }
  return EXIT.ok
}

/** The first sentences of descriptions that find their skills as well as all of them. */
async function enoughOf(
  library: SkillLibrary,
  skills: readonly Skill[],
  io: Io,
): Promise<ReadonlyMap<SkillId, string>> {
  const draft = await openDraft(skills, {
    embedder: bundled(),
    modelTimeout: Number.POSITIVE_INFINITY,
    signal: io.signal,
  })
  await using _ = draft.library
  return await shortenDescriptions(skills, { library, draft, signal: io.signal })
}

function printRows(io: Io, rows: readonly SkillBudget[]): void {
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
}

interface Summary {
  /** Characters, by listing. */
  limits: readonly number[]
  counts: readonly Readonly<Record<ShownAs, number>>[]
}

function printSummary(io: Io, rows: readonly SkillBudget[], { limits, counts }: Summary): void {
  const lines = counts.map(({ whole, cut, named, unlisted }, index) => {
    const characters = (limits[index] ?? 0).toLocaleString('en')
    return `${SHARES[index]} % of the context, ${characters} characters: ${whole} whole, ${cut} cut, ${named} by name only, ${unlisted} not listed`
  })
  const shorter = rows.filter(({ enough }) => enough !== undefined).length
  printLines(
    io,
    '',
    lines,
    `${plural(shorter, 'skill')} found as well by the first sentence of the description`,
  )
}
