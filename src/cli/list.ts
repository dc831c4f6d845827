import { EXIT } from './errors.js'
import { cancellable, type Io, printJson, printLines } from './io.js'
import { openSkills, shellQuote } from './open-library.js'
import { colorsFor, table } from './table.js'
import { plural } from './text.js'

export interface ListFlags {
  skills?: string
  tag?: readonly string[]
  json?: boolean
}

/** `skillshelf list`: what is on the shelf. */
export async function listCommand(io: Io, flags: ListFlags): Promise<number> {
  const { library, where } = await openSkills(io, flags.skills)
  await using _ = library
  const skills = await library.list({ ...(flags.tag ? { tags: flags.tag } : {}), ...cancellable(io) })
  if (flags.json) {
    printJson(io, { revision: library.snapshot.revision, skills })
    return EXIT.ok
  }
  if (skills.length === 0) {
    printLines(io, `No skill in ${where} has the tag ${(flags.tag ?? []).join(' or ')}.`)
    return EXIT.ok
  }
  const colors = colorsFor(io)
  const times = new Map<string, number>()
  for (const { name } of skills) times.set(name, (times.get(name) ?? 0) + 1)
  io.stdout(
    table(
      io,
      [
        { head: 'skill' },
        { head: 'description', flexible: true, cut: true },
        { head: 'tokens', right: true },
        { head: 'when opened', right: true },
      ],
      skills.map(({ id, name, description, tokens }) => [
        { text: times.get(name) === 1 ? name : id, paint: colors.bold },
        description,
        tokens.metadata.toLocaleString('en'),
        tokens.instructions.toLocaleString('en'),
      ]),
    ),
  )
  const { diagnostics } = library.snapshot
  const hidden = diagnostics.filter(({ code }) => code === 'skill-left-out' || code === 'skill-unreadable').length
  const disabled = diagnostics.filter(({ code }) => code === 'skill-disabled').length
  printLines(
    io,
    '',
    `${plural(skills.length, 'skill')}, ${plural(
      skills.reduce((sum, { tokens }) => sum + tokens.metadata, 0),
      'token',
    )} of metadata${disabled > 0 ? `; ${disabled} disabled` : ''}${hidden > 0 ? `; ${hidden} left out, see: skillshelf validate ${shellQuote(where)}` : ''}`,
  )
  return EXIT.ok
}
