import { plainLine } from '../../core/sanitize.js'
import { checkMessages } from '../../library/enrich/check.js'
import { formatMessagesFile } from '../../library/enrich/messages-file.js'
import type { SkillToEnrich } from './enrich-skills.js'
import { EXIT } from './errors.js'
import { type Io, printJson, printLines } from './io.js'
import { shellQuote, writeAtomic } from './paths.js'
import { plural } from './text.js'

/** Checks the messages that an agent wrote by a plan, and completes the head of accepted files. */
export async function checkDrafts(
  io: Io,
  skills: readonly SkillToEnrich[],
  where: string,
  json: boolean,
): Promise<number> {
  const accepted: string[] = []
  const wrong: { skill: string; problems: readonly string[] }[] = []
  for (const skill of skills) {
    const problems = problemsOf(skill)
    if (problems.length > 0) wrong.push({ skill: skill.shown, problems })
    else if (skill.file?.kind === 'draft') {
      await writeAtomic(skill.target, formatMessagesFile(skill.seen, skill.messages))
      accepted.push(skill.shown)
    }
  }
  if (json) printJson(io, { accepted, wrong })
  else {
    for (const { skill, problems } of wrong)
      printLines(io, plainLine(skill), ...problems.map(problem => `  ${problem}`))
    printLines(io, `${plural(accepted.length, 'file')} accepted, ${wrong.length} to correct`)
    if (wrong.length > 0) printLines(io, `Correct the files, then run: skillshelf enrich ${shellQuote(where)} --check`)
  }
  return wrong.length > 0 ? EXIT.failed : EXIT.ok
}

function problemsOf({ state, file, seen, texts, messages }: SkillToEnrich): readonly string[] {
  if (state === 'missing') return ['has no messages.txt']
  if (state === 'outdated') return ['the skill changed after its messages were written; plan again']
  if (file?.kind !== 'draft') return []
  if (file.seen !== seen) return ['the skill changed after the plan was written; plan again']
  const { counts } = file
  const more = [...messages].filter(([language, list]) => list.length > (counts.get(language) ?? 0))
  return [
    ...checkMessages(texts, counts, Object.fromEntries(messages)).problems,
    ...more.map(([language]) => `${language} has more than ${counts.get(language) ?? 0} messages`),
  ]
}
