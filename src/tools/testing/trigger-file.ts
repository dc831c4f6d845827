import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml'
import type { TriggerCase, TriggerProblem } from './trigger-case.js'
import { isTriggerEvals, readTriggerEvals } from './trigger-evals.js'

/**
 * Parses trigger tests. A triggers.yaml is a list of `{ message, skill? }`, where `skill` is a name, a list of names or `none`.
 *
 * JSON, as authors publish it: lists of `{ query, should_trigger }` (or `prompt`, `should_activate`, `expected: "trigger"`), two lists
 * `should_trigger` and `should_not_trigger` (or `positive` and `negative`), any of them inside an object, and lines of
 * `{ query, expected_skill }`. A message that should not trigger its skill may match another one.
 *
 * An invalid case becomes a problem and does not affect the other cases.
 * @param file Path of the file, for cases and problems.
 * @example
 * ```ts
 * import { readTriggers } from 'skillshelf/testing'
 *
 * const { cases, problems } = readTriggers('- message: make slides about our launch', 'slides/triggers.yaml')
 * ```
 */
export function readTriggers(
  text: string,
  file: string,
): { cases: TriggerCase[]; problems: TriggerProblem[] } {
  if (isTriggerEvals(file)) return readTriggerEvals(text, file)
  const cases: TriggerCase[] = []
  const problems: TriggerProblem[] = []
  const lines = new LineCounter()
  const document = parseDocument(text.replace(/^\uFEFF/, ''), {
    lineCounter: lines,
    prettyErrors: false,
  })
  const lineOf = (node: Node | null | undefined): number =>
    node?.range ? lines.linePos(node.range[0]).line : 1
  const report = (node: Node | null | undefined, message: string): void => {
    problems.push({ file, line: lineOf(node), message })
  }
  for (const error of document.errors.slice(0, 3)) {
    problems.push({
      file,
      line: lines.linePos(error.pos[0]).line,
      message: `invalid YAML: ${error.message}`,
    })
  }
  if (problems.length > 0) return { cases, problems }

  const { contents } = document
  if (contents === null) return { cases, problems }
  if (!isSeq<Node | null>(contents)) {
    report(contents, 'the file must be a list, with "- message: ..." for each case')
    return { cases, problems }
  }
  for (const item of contents.items) {
    if (!isMap<unknown, Node | null>(item)) {
      report(item, 'a case must be written "- message: ..."')
      continue
    }
    const parsed = parseCase(item.items.map(({ key, value }) => [String(key), value]))
    if (typeof parsed === 'string') report(item, parsed)
    else cases.push({ ...parsed, file, line: lineOf(item) })
  }
  return { cases, problems }
}

/** @returns The case, or a message about its problem. */
function parseCase(
  pairs: readonly [string, Node | null][],
): Pick<TriggerCase, 'message' | 'skills'> | string {
  const unknown = pairs.map(([key]) => key).find(key => key !== 'message' && key !== 'skill')
  if (unknown !== undefined) return `unknown key ${unknown}; the keys are message and skill`
  const fields = new Map(pairs)
  const message = scalarText(fields.get('message'))
  if (message === undefined || message.trim() === '') return 'the case has no message'
  if (!fields.has('skill')) return { message, skills: undefined }
  const node = fields.get('skill')
  const names = isSeq(node) ? node.items.map(scalarText) : [scalarText(node)]
  const skills = names.flatMap(name => (name?.trim() ? [name] : []))
  if (skills.length === 0 || skills.length < names.length) {
    return 'skill must be a name, a list of names, or none; leave it out for the skill of this folder'
  }
  const none = skills.some(name => name.toLowerCase() === 'none')
  if (none && skills.length > 1) return 'skill must be none or names, not both'
  return { message, skills: none ? [] : skills }
}

/** The source text of a scalar, because a skill may have a name such as 2048. */
function scalarText(node: unknown): string | undefined {
  if (isAlias(node) || !isScalar(node) || node.value === null) return undefined
  return typeof node.value === 'string' ? node.value : (node.source ?? String(node.value))
}
