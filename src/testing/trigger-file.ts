import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml'

/** A message, and the skills that may come first for it. */
export interface TriggerCase {
  message: string
  /** Names as written; `undefined`: the folder's own skill; empty: no skill at all. */
  skills: readonly string[] | undefined
  file: string
  line: number
}

/** What is wrong with a triggers.yaml, in one sentence. */
export interface TriggerProblem {
  file: string
  line?: number
  message: string
}

/**
 * Reads a triggers.yaml: a list of `{ message, skill? }`, where `skill` is a name, a list of names or `none`. A case that
 * cannot be read is a problem and hides no other.
 */
export function readTriggers(text: string, file: string): { cases: TriggerCase[]; problems: TriggerProblem[] } {
  const cases: TriggerCase[] = []
  const problems: TriggerProblem[] = []
  const lines = new LineCounter()
  const document = parseDocument(text.replace(/^\uFEFF/, ''), { lineCounter: lines, prettyErrors: false })
  const lineOf = (node: Node | null | undefined): number => (node?.range ? lines.linePos(node.range[0]).line : 1)
  const problem = (node: Node | null | undefined, message: string): void => {
    problems.push({ file, line: lineOf(node), message })
  }
  for (const error of document.errors.slice(0, 3))
    problems.push({ file, line: lines.linePos(error.pos[0]).line, message: `this is not YAML: ${error.message}` })
  if (problems.length > 0) return { cases, problems }

  const { contents } = document
  if (contents === null) return { cases, problems }
  if (!isSeq(contents)) {
    problem(contents, 'this is not a list; write "- message: ..." for each case')
    return { cases, problems }
  }
  for (const item of contents.items as (Node | null)[]) {
    if (!isMap(item)) {
      problem(item, 'a case is written "- message: ..."')
      continue
    }
    const read = readCase(item.items.map(({ key, value }) => [String(key), value as Node | null]))
    if (typeof read === 'string') problem(item, read)
    else cases.push({ ...read, file, line: lineOf(item) })
  }
  return { cases, problems }
}

function readCase(pairs: readonly [string, Node | null][]): Pick<TriggerCase, 'message' | 'skills'> | string {
  const unknown = pairs.map(([key]) => key).find(key => key !== 'message' && key !== 'skill')
  if (unknown !== undefined) return `a case has message and skill, not ${unknown}`
  const fields = new Map(pairs)
  const message = textOf(fields.get('message'))
  if (message === undefined || message.trim() === '') return 'the case has no message'
  if (!fields.has('skill')) return { message, skills: undefined }
  const node = fields.get('skill')
  const named = isSeq(node) ? (node.items as Node[]).map(textOf) : [textOf(node)]
  const skills = named.filter(name => name !== undefined && name.trim() !== '') as string[]
  if (skills.length === 0 || skills.length < named.length)
    return 'skill is a name, a list of names, or none; leave it out for the skill of this folder'
  const none = skills.some(name => name.toLowerCase() === 'none')
  if (none && skills.length > 1) return 'skill is none, or names; not both'
  return { message, skills: none ? [] : skills }
}

/** Plain scalars as they are written: a skill may be called 2048. */
function textOf(node: unknown): string | undefined {
  if (isAlias(node) || !isScalar(node) || node.value === null) return undefined
  return typeof node.value === 'string' ? node.value : (node.source ?? String(node.value))
}
