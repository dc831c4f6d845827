import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml'
import type { TriggerCase, TriggerProblem } from './trigger-case.js'

/*
 * Trigger tests as skill authors publish them in JSON: a list of messages with whether the skill should trigger, two lists of messages, or a
 * collection of messages with the name of the right skill. See `readTriggers` for the names of their fields.
 */

/** Names of the files, beside or below a SKILL.md. */
const FILE = /^(?:trigger[-_]?(?:evals?|queries|tests?)|triggers)\.json$|^routing\.jsonl?$/i
const TEXT = ['query', 'prompt', 'message', 'text', 'input', 'user_message', 'utterance']
/** Whether the skill should trigger: true or false. */
const FLAG = ['should_trigger', 'should_activate', 'should_match', 'trigger', 'triggers']
/** Whether it should, in a word, or the name of the right skill. */
const VERDICT = ['expected', 'expect', 'label', 'type', 'kind']
const OWNER = ['expected_owner', 'expected_skill', 'expected_skills', 'expected_route']
/** Verdicts that are names of skills, if they are no other words. */
const NAMES = [...OWNER, 'expected', 'expect']
const YES =
  /^(?:yes|true|(?:should[-_ ]?)?(?:trigger|activate|match|fire)(?:s|ed)?|positives?|invoke)$/i
const NO =
  /^(?:no|false|(?:(?:should|do|does|must)[-_ ]?)?(?:no|not|never|dont|don't)[-_ ]?(?:trigger|activate|match|fire|invoke)(?:s|ed)?|(?:hard[-_ ]?)?negatives?|near[-_ ]?(?:neighbou?r|miss)(?:e?s)?|skip|ignore|reject)$/i
const NOBODY = /^(?:none|null|no[-_ ]?skill|)$/i

/** Whether a file has trigger tests in JSON, by its path in the folder of the skill or of the library. */
export function isTriggerEvals(path: string): boolean {
  return FILE.test(path.slice(path.lastIndexOf('/') + 1))
}

type Expected = Pick<TriggerCase, 'skills' | 'rejects'>

/** @param file Path of the file, for cases and problems. One that ends in .jsonl has a case on each line. */
export function readTriggerEvals(
  text: string,
  file: string,
): { cases: TriggerCase[]; problems: TriggerProblem[] } {
  const cases: TriggerCase[] = []
  const problems: TriggerProblem[] = []
  const isLines = /\.jsonl$/i.test(file)
  const parts = isLines ? text.split(/\r\n?|\n/) : [text]
  for (const [index, part] of parts.entries()) {
    if (part.trim() === '') continue
    const lines = new LineCounter()
    // JSON is YAML, whose parser knows the line of each value.
    const { contents, errors } = parseDocument<Node>(part.replace(/^\uFEFF/, ''), {
      lineCounter: lines,
      prettyErrors: false,
      uniqueKeys: false,
    })
    const lineAt = (offset: number): number => index + lines.linePos(offset).line
    const [error] = errors
    if (error) {
      problems.push({
        file,
        line: lineAt(error.pos[0]),
        message: `invalid JSON: ${error.message}`,
      })
      continue
    }
    const lineOf = (node: Node | null): number => lineAt(node?.range?.[0] ?? 0)
    const before = cases.length
    collect(contents, undefined, {
      add: (node, message, expected) => {
        cases.push({ message, ...expected, file, line: lineOf(node) })
      },
      report: (node, message) => problems.push({ file, line: lineOf(node), message }),
    })
    if (cases.length === before && problems.length === 0) {
      problems.push({
        file,
        line: lineOf(contents),
        message: 'the file has no message with "should_trigger", and no list of such messages',
      })
    }
  }
  return { cases, problems }
}

interface Found {
  add(node: Node | null, message: string, expected: Expected): void
  report(node: Node | null, message: string): void
}

/** @param bucket What the list of the node expects of all its messages. */
function collect(node: Node | null, bucket: Expected | undefined, found: Found): void {
  if (isSeq<Node | null>(node)) {
    for (const item of node.items) collect(item, bucket, found)
    return
  }
  const line = textOf(node)
  if (line !== undefined) {
    if (bucket && line.trim() !== '') found.add(node, line, bucket)
    else found.report(node, 'a message needs "should_trigger": true or false')
    return
  }
  if (!isMap<unknown, Node | null>(node)) return
  const fields = new Map(node.items.map(({ key, value }) => [String(key).toLowerCase(), value]))
  const message = TEXT.map(name => textOf(fields.get(name))).find(text => text !== undefined)
  if (message === undefined) {
    for (const [name, value] of fields) {
      if (isSeq(value) || isMap(value)) collect(value, expectedOf(name) ?? bucket, found)
    }
    return
  }
  const expected = expectedIn(fields) ?? bucket
  if (message.trim() === '') found.report(node, 'the message is empty')
  else if (expected) found.add(node, message, expected)
  else found.report(node, 'a message needs "should_trigger": true or false')
}

function expectedIn(fields: ReadonlyMap<string, Node | null>): Expected | undefined {
  for (const name of [...FLAG, ...OWNER, ...VERDICT]) {
    const node = fields.get(name)
    const words = (isSeq<Node>(node) ? node.items : [node]).map(textOf)
    if (node === undefined || words.includes(undefined)) continue
    const [word = ''] = words
    const expected = words.length === 1 && !OWNER.includes(name) ? expectedOf(word) : undefined
    if (expected) return expected
    if (NAMES.includes(name)) {
      return { skills: words.filter(one => one !== undefined && !NOBODY.test(one)) as string[] }
    }
  }
  return undefined
}

/** What a word or the name of a list expects of the skill. `undefined` for any other word. */
function expectedOf(word: string): Expected | undefined {
  if (YES.test(word)) return { skills: undefined }
  if (NO.test(word)) return { skills: undefined, rejects: true }
  return undefined
}

function textOf(node: unknown): string | undefined {
  if (!isScalar(node)) return undefined
  return node.value === null ? '' : String(node.value)
}
