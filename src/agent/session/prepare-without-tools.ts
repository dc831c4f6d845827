import type { AbortOptions } from '../../core/abort.js'
import { escapeAttribute, escapeText, showHiddenKeepingLines } from '../../core/sanitize.js'
import type { SkillId } from '../../skill/skill.js'
import type { Conversation } from './conversation.js'
import { cutOffset, largestFitting } from './fit.js'
import type { LibraryEffects } from './follow-library.js'
import { read, undefinedIfRefused } from './load.js'
import type { OpenSkill } from './open-skills.js'
import { closedNote } from './prompt.js'
import { CLOSING_TAG, containsSkill, openingTag, resourceLines } from './skill-content.js'

/** Files of one skill that are added to its instructions, and names of other files. */
const MAX_FILES = 8
const MAX_NAMES = 20
const GUIDE =
  'Follow the instructions below if they fit the message. You cannot run scripts or open files: if a step needs one, say so.'

interface TailOptions extends AbortOptions {
  effects: LibraryEffects
  /** The best match. */
  best: SkillId | undefined
  maxTokens: number
}

/** Formats the instructions of the open skills for a model without tools, that of the best match first. */
export async function tailWithoutTools(
  conversation: Conversation,
  { effects: { outdated }, best, maxTokens, signal }: TailOptions,
): Promise<string> {
  const { open, messages, countTokens } = conversation
  let tail = outdated.map(({ skill }) => closedNote(skill)).join('\n')
  // Nothing else can restore instructions that the conversation lost.
  const lost = open
    .entries()
    .filter(({ skill }) => !messages.some(({ content }) => containsSkill(content, skill)))
  const bestFirst = lost.sort(
    (one, other) => Number(other.skill.id === best) - Number(one.skill.id === best),
  )
  for (const entry of bestFirst) {
    const start = [tail, tail.includes(GUIDE) ? '' : GUIDE].filter(Boolean).join('\n')
    const fits = (element: string): boolean => countTokens(`${start}\n${element}`) <= maxTokens
    const shown = await showSkill(conversation, entry, fits, signal)
    if (shown === undefined) continue
    tail = `${start}\n${shown.element}`
    open.replace(shown.entry)
  }
  return tail
}

/** Formats the instructions of a skill, cut to fit, the files that they name, and the names of its other files. `undefined` if nothing fits. */
async function showSkill(
  conversation: Conversation,
  open: OpenSkill,
  fits: (element: string) => boolean,
  signal: AbortSignal | undefined,
): Promise<{ element: string; entry: OpenSkill } | undefined> {
  const { skill } = open
  const { countTokens } = conversation
  const files = new Map<string, string>()
  const format = (
    instructions: string,
    added: ReadonlyMap<string, string>,
    named: number,
  ): string => {
    const others = skill.files.filter(({ path }) => !added.has(path))
    const lines = [escapeText(instructions), ...added.values(), ...resourceLines(others, named)]
    return showHiddenKeepingLines([openingTag(skill), ...lines, CLOSING_TAG].join('\n'))
  }
  const instructions = cutToFit(skill.instructions, text => fits(format(text, files, 0)))
  if (instructions === undefined) return undefined
  const references = [...open.references]
  for (const path of namedFiles(open, instructions).slice(0, MAX_FILES)) {
    const text = (
      await undefinedIfRefused(read(conversation, skill.id, path, { by: 'model', signal }))
    )?.text
    if (text === undefined) continue
    const file = `<skill_file path="${escapeAttribute(path)}">\n${escapeText(text)}\n</skill_file>`
    if (!fits(format(instructions, new Map([...files, [path, file]]), 0))) continue
    files.set(path, file)
    if (!references.some(reference => reference.path === path)) {
      references.push({ path, tokens: countTokens(text), text })
    }
  }
  const named = largestFitting(MAX_NAMES + 1, amount => fits(format(instructions, files, amount)))
  return {
    element: format(instructions, files, named),
    entry: { ...open, tokens: countTokens(instructions), references },
  }
}

/** Cuts a text so that it fits: after a line or sentence, else after a word. `undefined` if nothing fits. */
function cutToFit(text: string, fits: (text: string) => boolean): string | undefined {
  if (fits(text)) return text
  const first = (length: number): string => {
    const start = text.slice(0, cutOffset(text, length)).trimEnd()
    return `${start}\n[${text.length - start.length} more characters are left out]`
  }
  const fitting = largestFitting(text.length, length => fits(first(length)))
  return fitting === 0 ? undefined : first(fitting)
}

/** The references of an open skill, then the files that its instructions name, in order. Scripts are of no use to a model without tools. */
function namedFiles({ skill, references }: OpenSkill, instructions: string): string[] {
  const named = skill.files
    .map(({ path, kind }) => ({ path, kind, at: instructions.indexOf(path) }))
    .filter(({ kind, at }) => at >= 0 && kind === 'text')
    .sort((one, other) => one.at - other.at)
  return [...new Set([...references, ...named].map(({ path }) => path))]
}
