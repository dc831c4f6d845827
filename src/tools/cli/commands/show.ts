import { isSkillshelfError, SkillshelfError } from '../../../core/errors.js'
import { plainLine, showHidden } from '../../../core/sanitize.js'
import type { Skill, SkillFile } from '../../../skill/skill.js'
import { type CommandDefinition, type CommonFlags, OPTIONS, SKILLS_HELP } from '../command.js'
import { EXIT, formatBytes, type Io, plural, printJson, printLines } from '../io.js'
import { openSkills } from '../open-library.js'
import { shellQuote } from '../paths.js'
import { colorsFor, printTable } from '../table.js'

type ShowFlags = CommonFlags & { file?: string }

export const showCommand: CommandDefinition = (command, run) =>
  command('show <name>', 'Show a skill or one of its files', [
    'show pdf ~/skills',
    'show pdf --file scripts/merge.py',
  ])
    .argument('[dir]', SKILLS_HELP)
    .addOption(OPTIONS.sameAsDir)
    .option('-f, --file <path>', 'print this file of the skill')
    .addOption(OPTIONS.json)
    .action(run(show))

async function show(
  io: Io,
  name: string,
  dir: string | undefined,
  flags: ShowFlags,
): Promise<number> {
  const { library, where } = await openSkills(io, dir ?? flags.skills)
  await using _ = library
  if (flags.file !== undefined) {
    const file = await library.read(name, flags.file, { signal: io.signal })
    return showFile(io, file, flags.json ?? false)
  }
  const skill = await library.get(name, { signal: io.signal }).catch(error => {
    if (!isSkillshelfError(error, 'skill-not-found') || error.details.hint) throw error
    throw new SkillshelfError(error.code, error.message, {
      hint: `list the skills with: skillshelf list ${shellQuote(where)}`,
    })
  })
  if (flags.json) printJson(io, skill)
  else showSkill(io, skill)
  return EXIT.ok
}

function showSkill(io: Io, skill: Skill): void {
  const colors = colorsFor(io)
  const { metadata, tokens } = skill
  const count = (number: number): string => number.toLocaleString('en')
  const properties: [string, string | undefined][] = [
    ['id', skill.id],
    ['display name', metadata.displayName],
    ['description', metadata.description],
    ['when to use', metadata.whenToUse],
    ['requires', metadata.requires?.join(', ')],
    ['version', metadata.version],
    ['author', metadata.author],
    ['tags', metadata.tags?.join(', ')],
    ['allowed tools', metadata.allowedTools && (metadata.allowedTools.join(', ') || 'none')],
    ['license', metadata.license],
    ['compatibility', metadata.compatibility],
    ['inferred', metadata.inferred?.join(', ')],
    ['location', skill.root],
    [
      'tokens',
      `${count(tokens.metadata)} of metadata, ${count(tokens.instructions)} of instructions`,
    ],
    ['digest', skill.digest],
  ]
  printLines(io, colors.bold(plainLine(skill.name)))
  printTable(
    io,
    [[''], ['', 'flexible']],
    properties.flatMap(([name, value]) =>
      value ? [[{ text: name, paint: colors.dim }, value]] : [],
    ),
  )
  if (skill.files.length > 0) {
    printLines(io, '')
    printTable(
      io,
      [['file', 'flexible'], ['kind'], ['size', 'right']],
      skill.files.map(file => [
        file.path,
        file.kind,
        file.size === undefined ? '' : formatBytes(file.size),
      ]),
    )
  }
  const problems = skill.diagnostics.filter(({ severity }) => severity !== 'info').length
  if (problems > 0) {
    printLines(io, '', colors.yellow(`${plural(problems, 'problem')}; see: skillshelf validate`))
  }
  const { instructions } = skill
  printLines(
    io,
    '',
    instructions === '' ? colors.dim('(no instructions)') : showHidden(instructions).split('\n'),
  )
}

function showFile(io: Io, { bytes, text, ...file }: SkillFile, json: boolean): number {
  const { path } = file
  if (json) {
    printJson(io, {
      ...file,
      ...(text === undefined ? { base64: Buffer.from(bytes).toString('base64') } : { text }),
    })
  } else if (text === undefined) {
    printLines(
      io,
      `${plainLine(path)} is not text: ${formatBytes(bytes.length)}, ${file.mediaType}`,
      `Location: ${plainLine(file.location)}`,
    )
  }
  // Unchanged into a pipe. S5: a terminal would execute control sequences.
  else if (io.isTTY || !io.unchanged) io.stdout(showHidden(text).replace(/\n?$/, '\n'))
  else io.unchanged(text)
  return EXIT.ok
}
