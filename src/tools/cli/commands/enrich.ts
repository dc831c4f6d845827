import { linkedController } from '../../../core/abort.js'
import { mapParallel } from '../../../core/concurrency.js'
import { invalidInput, isSkillshelfError, throwIfAborted } from '../../../core/errors.js'
import { plainLine } from '../../../core/sanitize.js'
import { askMessages } from '../../../library/enrich/ask-messages.js'
import {
  MESSAGE_LANGUAGES,
  type MessageCounts,
  messageCounts,
} from '../../../library/enrich/languages.js'
import { formatMessagesFile } from '../../../library/enrich/messages-file.js'
import { estimatePrompt } from '../../../library/enrich/prompt.js'
import { type ModelServer, modelServer, type TokenUsage } from '../ask.js'
import {
  type CommandDefinition,
  type CommonFlags,
  DIR_HELP,
  OPTIONS,
  parsePositiveInteger,
} from '../command.js'
import { checkDrafts, writePlan } from '../enrich-agent.js'
import {
  CHANGED_MEANWHILE,
  type EnrichState,
  hasOtherNearMisses,
  readSkillsToEnrich,
  type SkillToEnrich,
  writeMessages,
} from '../enrich-skills.js'
import {
  EXIT,
  type Io,
  plural,
  printErrors,
  printJson,
  printLines,
  withProgressBar,
} from '../io.js'

interface EnrichFlags extends CommonFlags {
  ask?: string
  model?: string
  plan?: string
  check?: boolean
  languages: readonly string[]
  count?: number
  concurrency: number
  force?: boolean
}

export const enrichCommand: CommandDefinition = (command, run) =>
  command(
    'enrich',
    'Write messages that find the skills (messages.txt), with a language model or a coding agent',
    [
      'enrich skills --dry-run --languages en,zh',
      'enrich skills --ask https://api.openai.com/v1 --model gpt-4.1-mini',
      'enrich skills --plan plan',
      'enrich skills --check',
    ],
  )
    .argument('[dir]', `${DIR_HELP}, or one skill`)
    .option(
      '--ask <url>',
      'OpenAI-compatible server; its key is in the environment variable SKILLSHELF_ASK_KEY',
    )
    .option('--model <name>', 'model of that server')
    .option('--plan <folder>', 'write work files for a coding agent to this folder')
    .option('--check', 'check and accept the messages that an agent wrote by a plan')
    .option(
      '--languages <codes>',
      `languages, of ${Object.keys(MESSAGE_LANGUAGES).join(',')}`,
      parseList,
      ['en'],
    )
    .option(
      '--count <n>',
      'messages of each language, 1 to 7 (default: 6 in English, 4 in others)',
      parsePositiveInteger,
    )
    .option('--concurrency <n>', 'skills asked for at a time', parsePositiveInteger, 4)
    .option('--force', 'also replace messages that were written by hand or are up to date')
    .option('--dry-run', 'print the skills and the estimated tokens without asking')
    .addOption(OPTIONS.json)
    .action(run(enrich))

function parseList(value: string): string[] {
  return value.split(',').map(part => part.trim())
}

/** Writes a `messages.txt` beside each SKILL.md. Run it again after an interruption: finished skills are skipped. */
async function enrich(io: Io, dir: string | undefined, flags: EnrichFlags): Promise<number> {
  const modes = [flags.ask, flags.plan, flags.check].filter(mode => mode !== undefined)
  if (modes.length > 1) {
    throw invalidInput('`--ask`, `--plan` and `--check` exclude each other', 'pass one of them')
  }
  if (modes.length === 0 && !flags.dryRun) {
    throw invalidInput(
      'Nothing to write the messages with',
      'pass --ask URL --model NAME, or --plan FOLDER for a coding agent, or --dry-run',
    )
  }
  if (flags.ask !== undefined && flags.model === undefined && !flags.dryRun) {
    throw invalidInput('`--ask` needs `--model`', 'pass the name of a model of that server')
  }
  const counts = messageCounts(flags.languages, flags.count)
  // First, so that a wrong address fails before the folder is read.
  const server =
    flags.ask === undefined || flags.model === undefined
      ? undefined
      : modelServer(io, flags.ask, flags.model)
  const { skills, where } = await readSkillsToEnrich(io, dir, flags.check ? [] : flags.languages)
  if (flags.check) return checkDrafts(io, skills, where, flags.json ?? false)
  // S13: a draft with messages is the work of an agent.
  const isEmptyDraft = ({ state, messages }: SkillToEnrich): boolean =>
    state === 'draft' && messages.size === 0
  const wanted = skills.filter(
    skill =>
      skill.state === 'missing' ||
      skill.state === 'outdated' ||
      (isEmptyDraft(skill) && flags.plan === undefined) ||
      flags.force,
  )
  if (flags.plan !== undefined && !flags.dryRun) {
    const code = await writePlan(io, wanted, { folder: flags.plan, counts, where })
    printLines(io, leftOutLines(skills, wanted))
    return code
  }
  const estimate = estimateAll(wanted, counts)
  if (!flags.json) {
    printLines(io, summaryLine(skills, wanted))
    if (wanted.length > 0) {
      printLines(io, `About ${tokenLine(estimate)}, if each answer is accepted at once`)
    }
  }
  if (flags.dryRun || !server) {
    if (flags.json) {
      printJson(io, {
        skills: wanted.map(({ shown, state }) => ({ skill: shown, state })),
        estimate,
      })
    } else {
      printLines(
        io,
        wanted.map(({ shown, state }) => `  ${shown} (${state})`),
      )
    }
    return EXIT.ok
  }
  // It takes no model.
  for (const skill of skills.filter(one => hasOtherNearMisses(one) && !wanted.includes(one))) {
    await writeMessages(skill, formatMessagesFile(skill.seen, skill.messages, skill.notMessages))
  }
  return askForAll(io, server, wanted, { ...flags, counts })
}

/** Asks for each skill and writes its file as soon as it is complete. */
async function askForAll(
  io: Io,
  { ask, usage }: ModelServer,
  wanted: readonly SkillToEnrich[],
  {
    counts,
    concurrency,
    json,
  }: Pick<EnrichFlags, 'concurrency' | 'json'> & { counts: MessageCounts },
): Promise<number> {
  /** Skills without messages or with some of them, and why. */
  const shortfalls: { skill: string; written: boolean; problems: readonly string[] }[] = []
  let written = 0
  let messageCount = 0
  const { controller, unlink } = linkedController(io.signal)
  const { signal } = controller
  const asking = withProgressBar(io, async bar => {
    let done = 0
    bar.update('asking', 0, wanted.length)
    await mapParallel(wanted, concurrency, async skill => {
      throwIfAborted(signal)
      const { messages, problems } = await askMessages(ask, skill.texts, counts, signal)
      const isWritten =
        messages !== undefined &&
        (await writeMessages(skill, formatMessagesFile(skill.seen, messages, skill.notMessages)))
      if (isWritten) {
        written++
        messageCount += [...messages.values()].flat().length
      }
      const all = messages && !isWritten ? [...problems, CHANGED_MEANWHILE] : problems
      if (all.length > 0) shortfalls.push({ skill: skill.shown, written: isWritten, problems: all })
      bar.update('asking', ++done, wanted.length)
    })
  })
  // Answers under way are not waited for.
  const failure = await asking.catch((error: unknown) => {
    controller.abort()
    return { error }
  })
  unlink()
  for (const { skill, written: isWritten, problems } of shortfalls) {
    const state = isWritten ? 'some messages are missing' : 'not written'
    printErrors(io, plainLine(`${skill}: ${state}: ${problems.join('; ')}`))
  }
  const failed = shortfalls.filter(one => !one.written).length
  if (json) printJson(io, { written, messages: messageCount, failed, shortfalls, tokens: usage })
  else if (wanted.length > 0) {
    printLines(
      io,
      `Wrote ${plural(messageCount, 'message')} for ${written} of ${plural(wanted.length, 'skill')}`,
      usageLine(usage),
    )
  }
  if (failure) {
    if (isSkillshelfError(failure.error) && written < wanted.length) {
      printErrors(
        io,
        `${written} of ${plural(wanted.length, 'skill')} were written; run it again to go on`,
      )
    }
    throw failure.error
  }
  return shortfalls.length > 0 ? EXIT.failed : EXIT.ok
}

/** What each state is called, and what includes skills that `--plan` left out. */
const STATES: Readonly<Record<EnrichState, readonly [label: string, hint?: string]>> = {
  missing: ['without messages'],
  outdated: ['changed since'],
  draft: ['not checked yet', '--check accepts them'],
  current: ['up to date', '--force'],
  own: ['with messages of their own', '--force'],
}

function leftOutLines(
  skills: readonly SkillToEnrich[],
  wanted: readonly SkillToEnrich[],
): string[] {
  return Object.entries(STATES).flatMap(([state, [label, hint]]) => {
    const names = skills
      .filter(skill => skill.state === state && !wanted.includes(skill))
      .map(({ shown }) => shown)
    return names.length > 0 ? [`Left out, ${label} (${hint}): ${names.join(', ')}`] : []
  })
}

function summaryLine(skills: readonly SkillToEnrich[], wanted: readonly SkillToEnrich[]): string {
  const parts = Object.entries(STATES).flatMap(([state, [label]]) => {
    const count = skills.filter(skill => skill.state === state).length
    return count > 0 ? [`${count} ${label}`] : []
  })
  return `${plural(skills.length, 'skill')}: ${parts.join(', ')}; ${wanted.length} to write`
}

function estimateAll(
  skills: readonly SkillToEnrich[],
  counts: MessageCounts,
): { input: number; output: number } {
  const estimates = skills.map(({ texts }) => estimatePrompt(texts, counts))
  const sum = (part: 'input' | 'output'): number =>
    estimates.reduce((total, one) => total + one[part], 0)
  return { input: sum('input'), output: sum('output') }
}

function tokenLine({ input, output }: { input: number; output: number }): string {
  return `${plural(input, 'token')} of prompts and ${plural(output, 'token')} of answers`
}

function usageLine(usage: TokenUsage): string {
  return usage.input + usage.output === 0
    ? 'The server reported no tokens'
    : `The server reported ${tokenLine(usage)}${usage.unreported > 0 ? `, and none for ${plural(usage.unreported, 'answer')}` : ''}`
}
