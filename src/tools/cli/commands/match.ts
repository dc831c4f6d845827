import { uniqueNames } from '../../../agent/session/prompt.js'
import { invalidInput } from '../../../core/errors.js'
import type { SkillLibrary } from '../../../library/api/skill-library.js'
import { statusOf } from '../../../search/decide/decide.js'
import { twoDigits } from '../../../search/match/score.js'
import type { MatchStatus } from '../../../search/match/skill-match.js'
import type { SkillSummary } from '../../../skill/skill.js'
import {
  type CommandDefinition,
  type CommonFlags,
  OPTIONS,
  parsePositiveInteger,
  SKILLS_HELP,
  thresholdOption,
} from '../command.js'
import { EXIT, type Io, printJson, printLines } from '../io.js'
import { openSkills } from '../open-library.js'
import { colorsFor, printTable } from '../table.js'
import { explainWhyNot } from '../why-not.js'

interface MatchFlags extends CommonFlags {
  limit: number
  threshold: number
  require?: boolean
  whyNot?: string
}

export const matchCommand: CommandDefinition = (command, run) =>
  command('match <message...>', 'Rank skills for a message', [
    'match "make slides about our launch"',
    'match "review my changes" --skills ~/skills --limit 3',
    'match "draw a chart" --skills https://example.com/library/ --json',
  ])
    .option('-s, --skills <dir|url>', SKILLS_HELP)
    .option('-n, --limit <n>', 'maximum number of matches', parsePositiveInteger, 5)
    .addOption(thresholdOption())
    .addOption(OPTIONS.tag)
    .option(
      '--why-not <skill>',
      'explain what keeps this skill from matching, and what would change it',
    )
    .option(
      '--require',
      'exit with 1 if no score is above the threshold, or if the skill of --why-not does not match',
    )
    .addOption(OPTIONS.noMeaning)
    .addOption(OPTIONS.json)
    .action(run(match))

/** Ranks skills for a message and marks the scores above the threshold. */
async function match(io: Io, words: readonly string[], flags: MatchFlags): Promise<number> {
  const message = words.join(' ')
  const { limit, threshold, tag: tags } = flags
  if (message.trim() === '') {
    throw invalidInput(
      'The message is missing',
      'pass a request to an agent, such as: match "make slides"',
    )
  }
  const { library } = await openSkills(io, flags.skills, flags)
  await using _ = library
  if (flags.whyNot !== undefined) return await printWhyNot(io, library, message, flags)
  const result = await library.search(message, { limit, tags, signal: io.signal })
  const { revision, model, complete, served, abstained } = result
  const status = statusOf(result, threshold)
  const matches = result.matches.map(({ signals, ...match }, index) => {
    return { ...match, above: index === 0 && match.score > threshold, signals }
  })
  const code = flags.require && status !== 'match' ? EXIT.failed : EXIT.ok
  if (flags.json) {
    printJson(io, {
      message,
      status,
      revision,
      model,
      complete,
      served,
      threshold,
      abstained,
      matches,
    })
    return code
  }
  if (matches.length === 0) {
    printLines(io, noMatchText(abstained, tags))
    return code
  }
  const colors = colorsFor(io)
  const label = uniqueNames<Pick<SkillSummary, 'id' | 'name'>>(library.snapshot.skills)
  printTable(
    io,
    [['#', 'right'], ['score', 'right'], ['skill'], ['reason', 'flexible']],
    matches.map((match, index) => [
      String(index + 1),
      { text: twoDigits(match.score), paint: match.above ? colors.green : colors.dim },
      { text: label(match), paint: match.above ? colors.bold : colors.dim },
      match.reason,
    ]),
  )
  printLines(io, '', outcomeText(status, threshold))
  return code
}

async function printWhyNot(
  io: Io,
  library: SkillLibrary,
  message: string,
  { whyNot = '', threshold, tag: tags, require, json }: MatchFlags,
): Promise<number> {
  const { signal } = io
  const why = await explainWhyNot(library, message, whyNot, { threshold, tags, signal })
  if (json) printJson(io, why)
  else printLines(io, why.sentence, ...why.changes.map(change => `- ${change}`))
  return require && why.obstacle !== 'matches' ? EXIT.failed : EXIT.ok
}

function outcomeText(status: MatchStatus, threshold: number): string {
  if (status === 'match') {
    return `Match: the first skill is likely right, with a score above ${threshold}.`
  }
  if (status === 'maybe') {
    return `Maybe: one of these skills probably fits, and no score is above ${threshold}. Choose.`
  }
  return `No match: probably no skill fits; the nearest ones are shown.`
}

function noMatchText(abstained: string | undefined, tags: readonly string[] | undefined): string {
  if (abstained === 'empty-message') return 'The message has no words, or only function words.'
  if (tags && tags.length > 0) {
    return `No skill with the tag ${tags.join(' or ')} shares a word with the message.`
  }
  return 'No skill shares a word with the message.'
}
