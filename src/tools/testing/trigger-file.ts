import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml'

/** One case of a triggers.yaml. */
export interface TriggerCase {
  /** Message to match. */
  message: string
  /** Names of the skills that may rank first. `undefined`: the skill of the file's folder. Empty: no skill may match. */
  skills: readonly string[] | undefined
  /** Path of the triggers.yaml. */
  file: string
  /** Line of the case, from 1. */
  line: number
}

/** A problem in a triggers.yaml. */
export interface TriggerProblem {
  /** Path of the triggers.yaml. */
  file: string
  /** Line of the problem, from 1. */
  line?: number
  /** One sentence on the problem. */
  message: string
}

/**
 * Parses a triggers.yaml: a list of `{ message, skill? }`, where `skill` is a name, a list of names or `none`.
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
