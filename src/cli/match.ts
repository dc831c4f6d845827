import { EXIT } from './errors.js'
import { cancellable, type Io, printJson, printLines } from './io.js'
import { openSkills } from './open-library.js'
import { colorsFor, table } from './table.js'

export interface MatchFlags {
  skills?: string
  limit: number
  threshold: number
  tag?: readonly string[]
  require?: boolean
  json?: boolean
  meaning?: boolean
}

/** `skillshelf match MESSAGE`: the nearest skills, and which of them a host would be given. */
export async function matchCommand(io: Io, message: string, flags: MatchFlags): Promise<number> {
  const { limit, threshold, tag: tags } = flags
  const { library } = await openSkills(io, flags.skills, flags)
  await using _ = library
  const result = await library.search(message, { limit, ...(tags ? { tags } : {}), ...cancellable(io) })
  const matches = result.matches.map(match => ({ ...match, above: match.score > threshold }))
  const code = flags.require && !matches.some(match => match.above) ? EXIT.failed : EXIT.ok
  if (flags.json) {
    const { revision, model, abstained } = result
    printJson(io, {
      message,
      revision,
      model,
      threshold,
      ...(abstained ? { abstained } : {}),
      matches: matches.map(({ id, name, score, confidence, reason, above, signals }) => ({
        id,
        name,
        score,
        confidence,
        reason,
        above,
        signals,
      })),
    })
    return code
  }

  const colors = colorsFor(io)
  if (matches.length === 0) {
    printLines(io, nothing(result.abstained, tags))
    return code
  }
  const times = new Map<string, number>()
  for (const { name } of library.snapshot.skills) times.set(name, (times.get(name) ?? 0) + 1)
  const rows = matches.map(({ id, name, score, confidence, reason, above }, at) => [
    String(at + 1),
    // Rounded down, so that no figure reads as above the threshold that is not.
    { text: (Math.floor(score * 100) / 100).toFixed(2), paint: above ? colors.green : colors.dim },
    confidence.toFixed(2),
    { text: times.get(name) === 1 ? name : id, paint: above ? colors.bold : colors.dim },
    reason,
  ])
  io.stdout(
    table(
      io,
      [
        { head: '#', right: true },
        { head: 'score', right: true },
        { head: 'confidence', right: true },
        { head: 'skill' },
        { head: 'why', flexible: true },
      ],
      rows,
    ),
  )
  const above = matches.filter(match => match.above).length
  if (above > 0 && above < matches.length)
    printLines(io, '', `An agent is offered the first ${above === 1 ? 'one' : above}: score above ${threshold}.`)
  if (above === 0) printLines(io, '', `No skill is likely enough (score above ${threshold}); the nearest are shown.`)
  return code
}

function nothing(abstained: string | undefined, tags: readonly string[] | undefined): string {
  if (abstained === 'empty-message') return 'The message is empty.'
  if (tags && tags.length > 0) return `No skill with the tag ${tags.join(' or ')} has a word of the message.`
  return 'No skill has a word of the message.'
}
