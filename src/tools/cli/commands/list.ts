import { uniqueNames } from '../../../agent/session/prompt.js'
import type { Diagnostic } from '../../../skill/diagnostics.js'
import type { SkillSummary } from '../../../skill/skill.js'
import { type CommandDefinition, type CommonFlags, OPTIONS, SKILLS_HELP } from '../command.js'
import { countLeftOut } from '../diagnostics.js'
import { EXIT, type Io, plural, printJson, printLines } from '../io.js'
import { openSkills } from '../open-library.js'
import { shellQuote } from '../paths.js'
import { colorsFor, printTable } from '../table.js'

export const listCommand: CommandDefinition = (command, run) =>
  command('list', 'List skills and their token counts', ['list', 'list ~/skills --tag pdf'])
    .argument('[dir]', SKILLS_HELP)
    .addOption(OPTIONS.sameAsDir)
    .addOption(OPTIONS.tag)
    .addOption(OPTIONS.json)
    .action(run(list))

async function list(io: Io, dir: string | undefined, flags: CommonFlags): Promise<number> {
  const { library, where } = await openSkills(io, dir ?? flags.skills)
  await using _ = library
  const skills = await library.list({ tags: flags.tag, signal: io.signal })
  if (flags.json) printJson(io, { revision: library.snapshot.revision, skills })
  else if (skills.length === 0) {
    printLines(io, `No skill in ${where} has the tag ${(flags.tag ?? []).join(' or ')}.`)
  } else printSkills(io, skills, library.snapshot.diagnostics, where)
  return EXIT.ok
}

function printSkills(
  io: Io,
  skills: readonly SkillSummary[],
  diagnostics: readonly Diagnostic[],
  where: string,
): void {
  const colors = colorsFor(io)
  const label = uniqueNames(skills)
  printTable(
    io,
    [['skill'], ['description', 'cut'], ['tokens', 'right'], ['when opened', 'right']],
    skills.map(skill => [
      { text: label(skill), paint: colors.bold },
      skill.description,
      skill.tokens.metadata.toLocaleString('en'),
      skill.tokens.instructions.toLocaleString('en'),
    ]),
  )
  const leftOut = countLeftOut(diagnostics)
  const disabled = diagnostics.filter(({ code }) => code === 'skill-disabled').length
  const tokens = skills.reduce((sum, { tokens }) => sum + tokens.metadata, 0)
  const summary = [
    `${plural(skills.length, 'skill')}, ${plural(tokens, 'token')} of metadata`,
    ...(disabled > 0 ? [`${disabled} disabled`] : []),
    ...(leftOut > 0 ? [`${leftOut} left out, see: skillshelf validate ${shellQuote(where)}`] : []),
  ]
  printLines(io, '', summary.join('; '))
}
