import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, type YAMLMap } from 'yaml'
import type { TriggerCase, TriggerProblem } from './trigger-case.js'

/*
 * Trigger tests as skill authors publish them in JSON: a list of messages with whether the skill should trigger, two lists of messages, or a
 * collection of messages with the name of the right skill. See `readTriggers` for the names of their fields.
 */

/** Names of the files, beside or below a SKILL.md. */
const FILE =
  /^(?:trigger(?:s|ing)?(?:[-_](?:evals?|queries|tests?|cases|prompts|set))*\.jsonl?|routing\.jsonl?)$/i

// Names and words are compared without case, hyphens, underscores and spaces: `shouldTrigger` is `should_trigger`.
const TEXT = [
  'query prompt message text input request question utterance task',
  'usermessage userprompt userquery userinput',
].flatMap(names => names.split(' '))
/** Whether the skill should trigger, in a word or an object, or the name of the right skill. */
const VERDICT = 'expected expect expectation label type kind category verdict outcome'.split(' ')
const OWNER = 'expectedowner expectedskill expectedskills expectedroute'.split(' ')
/** Verdicts that are names of skills, if they are no other words. */
const NAMES = new Set([...OWNER, 'expected', 'expect'])
const ACTION = '(?:trigger|activat(?:e|ion)|match|fire|invoke)(?:s|d|ed)?'
const YES = new RegExp(
  `^(?:yes|true|1|should|(?:should|must|will|does|is|expect(?:s|ed)?)?(?:skill)?${ACTION}|(?:is)?positives?|inscope)$`,
)
const NO = new RegExp(
  [
    '^(?:no|false|0|skip|ignore|reject|outofscope|should(?:not|nt)|(?:hard|near|easy)?negatives?|near(?:neighbou?r|miss)(?:e?s)?',
    `(?:should|must|will|do|does|is)?(?:no|not|nt|never|dont|non|anti)(?:to)?(?:skill)?${ACTION})$`,
  ].join('|'),
)
/** Fields with true or false. Not `no`, which may be a number. */
const FLAG = /should|trigger|activat|match|fire|invoke|positive|negative/
/** What may follow in the name of a list: `should_trigger_inferred`, `negative_prompts`. */
const LIST_NAME = /^(should(?:not|nt)?trigger|(?:hard|near|easy)?negatives?|positives?)[a-z]*$/
/** Lists of messages of which their author says that they are neither, and lists of other texts. */
const NO_TESTS =
  /^(?:ambiguous|boundary|borderline|edge|notes?|comments?|tags?|sources?|references?)/
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
    if (!isScalar(contents)) {
      collect(contents, undefined, {
        add: (node, message, expected) => {
          cases.push({ message, ...expected, file, line: lineOf(node) })
        },
        report: (node, message) => problems.push({ file, line: lineOf(node), message }),
      })
    }
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
  const fields = fieldsOf(node)
  const message = TEXT.map(name => textOf(fields.get(name))).find(text => text !== undefined)
  const expected = expectedIn(fields) ?? bucket
  if (message === undefined) {
    for (const [name, value] of fields) {
      if (isScalar(value) || VERDICT.includes(name) || NO_TESTS.test(name)) continue
      collect(value, expectedOfList(name) ?? expected, found)
    }
    return
  }
  if (message.trim() === '') found.report(node, 'the message is empty')
  else if (expected) found.add(node, message, expected)
  else found.report(node, 'a message needs "should_trigger": true or false')
}

function expectedIn(fields: ReadonlyMap<string, Node | null>): Expected | undefined {
  for (const [name, node] of fields) {
    const [ofName, ofValue] = [FLAG.test(name) && expectedOf(name), expectedOf(textOf(node))]
    if (ofName && ofValue) return ofName.rejects === ofValue.rejects ? YES_EXPECTED : NO_EXPECTED
  }
  for (const name of [...OWNER, ...VERDICT]) {
    const node = fields.get(name)
    if (isMap<unknown, Node | null>(node)) {
      const inside = expectedIn(fieldsOf(node))
      if (inside) return inside
    }
    const words = (isSeq<Node>(node) ? node.items : [node]).map(textOf)
    if (node === undefined || words.includes(undefined)) continue
    const expected = words.length === 1 && !OWNER.includes(name) ? expectedOf(words[0]) : undefined
    if (expected) return expected
    if (NAMES.has(name)) {
      return { skills: words.filter(one => one !== undefined && !NOBODY.test(one)) as string[] }
    }
  }
  return undefined
}

function fieldsOf(node: YAMLMap<unknown, Node | null>): ReadonlyMap<string, Node | null> {
  return new Map(node.items.map(({ key, value }) => [plainWord(String(key)), value]))
}

const YES_EXPECTED: Expected = { skills: undefined }
const NO_EXPECTED: Expected = { skills: undefined, rejects: true }

/** What a word expects of the skill. `undefined` for any other word. */
function expectedOf(word = ''): Expected | undefined {
  const plain = plainWord(word)
  if (YES.test(plain)) return YES_EXPECTED
  return NO.test(plain) ? NO_EXPECTED : undefined
}

/** What the name of a list expects of its messages. A number says nothing. */
function expectedOfList(name: string): Expected | undefined {
  return /^\d/.test(name) ? undefined : expectedOf(LIST_NAME.exec(name)?.[1] ?? name)
}

/** Without case, separators and what is in parentheses. */
function plainWord(word: string): string {
  return word
    .replace(/\([^()]*\)/g, '')
    .toLowerCase()
    .replace(/[-_\s'’.]/g, '')
}

function textOf(node: unknown): string | undefined {
  if (!isScalar(node)) return undefined
  return node.value === null ? '' : String(node.value)
}
