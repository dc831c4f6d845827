import { resolve } from 'node:path'
import { stringify } from 'yaml'
import { invalidInput } from '../../../core/errors.js'
import { plainLine, visibleJson } from '../../../core/sanitize.js'
import type { UnusedMessage } from '../../../library/api/learned-messages.js'
import { learnedFile } from '../../../library/learning/file.js'
import { openLibrary } from '../../../library/open-library.js'
import { type CommandDefinition, type CommonFlags, DIR_HELP, OPTIONS } from '../command.js'
import { folderSource } from '../folder-source.js'
import { EXIT, type Io, plural, printErrors, printJson, printLines } from '../io.js'
import { findFolder } from '../open-library.js'
import { pathKind } from '../paths.js'

type ReportFlags = CommonFlags & { learned: string; triggers?: boolean }

/** Messages or skills of each part that are printed. */
const MAX_PRINTED = 10

export const reportCommand: CommandDefinition = (command, run) =>
  command('report', 'Show what messages led to, from a file of learned messages', [
    'report skills --learned learned.json',
    'report skills --learned learned.json --triggers',
  ])
    .argument('[dir]', DIR_HELP)
    .requiredOption(
      '--learned <file>',
      'file of `learnedFile`, which a library with `learn` writes',
    )
    .option('--triggers', 'print the messages that opened a skill as cases of triggers.yaml')
    .addOption(OPTIONS.json)
    .action(run(report))

async function report(io: Io, dir: string | undefined, flags: ReportFlags): Promise<number> {
  const file = resolve(io.cwd, flags.learned)
  if ((await pathKind(file)) !== 'file') {
    throw invalidInput(
      `No such file: ${flags.learned}`,
      "pass the file of learnedFile('…') of your program",
    )
  }
  await using library = await openLibrary(folderSource(io, await findFolder(io, dir)), {
    embedder: false,
    learn: learnedFile(file),
    signal: io.signal,
    onDiagnostic: ({ code, message }) => {
      if (code === 'learned-unreadable') printErrors(io, `skillshelf: ${message}`)
    },
  })
  const used = await library.report()
  const nameOf = (id = ''): string =>
    library.snapshot.skills.find(skill => skill.id === id)?.name ?? id
  if (flags.json) printJson(io, used)
  else if (flags.triggers) {
    const cases = used.opened.map(({ message, skill }) => [
      `- message: ${yamlText(message)}`,
      `  skill: ${yamlText(nameOf(skill))}`,
    ])
    if (cases.length > 0) printLines(io, cases.flat())
  } else {
    const lines = (messages: readonly UnusedMessage[]) =>
      [...messages]
        .sort((a, b) => b.count - a.count)
        .map(({ message, skill, count }) => {
          const times = count > 1 ? ` (${count} times)` : ''
          return plainLine(`${message}${times}${skill === undefined ? '' : `: ${nameOf(skill)}`}`)
        })
    print(io, 'message', 'opened a skill', lines(used.opened))
    print(io, 'message', 'matched a skill that was not opened', lines(used.notOpened))
    print(io, 'message', 'came near a skill that was not opened', lines(used.near))
    print(io, 'message', 'found nothing', lines(used.nothing))
    print(
      io,
      'skill',
      'never matched',
      used.neverMatched.map(id => plainLine(nameOf(id))),
    )
  }
  return EXIT.ok
}

function print(io: Io, noun: string, what: string, lines: readonly string[]): void {
  const more =
    lines.length > MAX_PRINTED ? [`  and ${lines.length - MAX_PRINTED} more: --json`] : []
  const shown = lines.slice(0, MAX_PRINTED).map(line => `  ${line}`)
  printLines(io, `${plural(lines.length, noun)} ${what}`, shown, more)
}

/** A text in YAML. One with hidden characters or line breaks is JSON, which YAML reads too, so that a file made of it has the same text. */
function yamlText(text: string): string {
  const json = visibleJson(text)
  return json === JSON.stringify(text) && !/[\r\n]/.test(text)
    ? stringify(text, { lineWidth: 0 }).trimEnd()
    : json
}
