import { isSkillshelfError } from '../../core/errors.js'
import { escapeAttribute, escapeLine, escapeText, showHiddenKeepingLines } from '../../core/sanitize.js'
import type { SkillId } from '../../skill/types.js'
import type { HostMessage } from './messages.js'
import { type LibraryEffects, type MatchLimits, matchMessage } from './prepare.js'
import { CLOSING_TAG, containsSkill, openingTag } from './prompt/skill-content.js'
import type { OpenSkill, PreparedTurn, Session } from './types.js'

/** Files of one skill that are added to its instructions. */
const MAX_FILES = 8
const GUIDE =
  'Follow the instructions below if they fit the message. You cannot run scripts or open files: if a step needs one, say so.'

export interface TurnWithoutToolsOptions extends MatchLimits {
  maxTokens: number
  followChanges(signal: AbortSignal | undefined): Promise<LibraryEffects>
  /** Ids of the open skills that `prepare` or the model has opened. */
  openedByModel(): readonly SkillId[]
  /** Opens a skill that counts at most `maxTokens`. */
  openShortened(id: SkillId, maxTokens: number): Promise<void>
  /** Replaces the entry of an open skill. */
  replace(entry: OpenSkill): void
}

/** Implements `Session.prepare` for models without tools. */
export async function prepareWithoutTools(
  session: Session,
  { message, history }: { message: string; history?: readonly HostMessage[] | undefined },
  { maxTokens, followChanges, openedByModel, openShortened, replace, ...limits }: TurnWithoutToolsOptions,
): Promise<PreparedTurn> {
  const { signal } = limits
  if (history) session.observe(history)
  const { closed, outdated } = await followChanges(signal)
  const { matches, maybe = [] } = await matchMessage(session, message, limits)
  const isOpen = (id: SkillId): boolean => session.open.some(({ skill }) => skill.id === id)
  const loaded: SkillId[] = []
  const [best] = matches
  if (best) {
    // A small model follows one skill at a time.
    for (const id of openedByModel()) if (id !== best.id) session.unload(id)
    if (!isOpen(best.id)) {
      try {
        await openShortened(best.id, maxTokens)
        loaded.push(best.id)
      } catch (error) {
        if (!isSkillshelfError(error) || isSkillshelfError(error, 'aborted', 'closed')) throw error
      }
    }
  }
  let tail = outdated
    .map(({ skill }) => `${escapeLine(skill.name)} is closed: its instructions no longer apply.`)
    .join('\n')
  // Nothing else can restore instructions that the conversation lost.
  const lost = session.open.filter(
    ({ skill }) => !session.messages.some(({ content }) => containsSkill(content, skill)),
  )
  const ordered = [...lost].sort(
    (one, other) => Number(other.skill.id === best?.id) - Number(one.skill.id === best?.id),
  )
  for (const open of ordered) {
    const start = [tail, tail.includes(GUIDE) ? '' : GUIDE].filter(Boolean).join('\n')
    const fits = (element: string): boolean => session.countTokens(`${start}\n${element}`) <= maxTokens
    const shown = await showSkill(session, open, fits, signal)
    if (shown === undefined) continue
    tail = `${start}\n${shown.element}`
    replace(shown.entry)
  }
  return {
    system: '',
    tail,
    matches,
    maybe: maybe.filter(({ id }) => !isOpen(id)),
    loaded,
    closed: closed.map(({ skill }) => skill.id),
    messages: session.messages,
  }
}

/** Formats the instructions of a skill, cut to fit, and the files that they name. `undefined` if nothing fits. */
async function showSkill(
  session: Session,
  open: OpenSkill,
  fits: (element: string) => boolean,
  signal: AbortSignal | undefined,
): Promise<{ element: string; entry: OpenSkill } | undefined> {
  const { skill } = open
  const { countTokens } = session
  const files: string[] = []
  const format = (instructions: string, added: readonly string[]): string =>
    showHiddenKeepingLines([openingTag(skill), escapeText(instructions), ...added, CLOSING_TAG].join('\n'))
  const instructions = cutToFit(skill.instructions, text => fits(format(text, [])))
  if (instructions === undefined) return undefined
  const references = [...open.references]
  for (const path of namedFiles(open, instructions).slice(0, MAX_FILES)) {
    const text = await readText(session, skill.id, path, signal)
    if (text === undefined) continue
    const file = `<skill_file path="${escapeAttribute(path)}">\n${escapeText(text)}\n</skill_file>`
    if (!fits(format(instructions, [...files, file]))) continue
    files.push(file)
    if (!references.some(reference => reference.path === path))
      references.push({ path, tokens: countTokens(text), text })
  }
  return {
    element: format(instructions, files),
    entry: { ...open, tokens: countTokens(instructions), references },
  }
}

/** Cuts a text after a line, so that it fits. `undefined` if no line fits. */
function cutToFit(text: string, fits: (text: string) => boolean): string | undefined {
  if (fits(text)) return text
  const lines = text.split('\n')
  const first = (amount: number): string => {
    const start = lines.slice(0, amount).join('\n').trimEnd()
    return `${start}\n[${text.length - start.length} more characters are left out]`
  }
  let [fitting, tooMany] = [0, lines.length]
  while (tooMany - fitting > 1) {
    const middle = (fitting + tooMany) >> 1
    if (fits(first(middle))) fitting = middle
    else tooMany = middle
  }
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

/** Reads a file as the model would. `undefined` if it is missing, refused or not text. */
async function readText(
  session: Session,
  skill: SkillId,
  path: string,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  try {
    return (await session.read(skill, path, { by: 'model', signal })).text
  } catch (error) {
    if (!isSkillshelfError(error) || isSkillshelfError(error, 'aborted', 'closed')) throw error
    return undefined
  }
}
