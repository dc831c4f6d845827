import { decodeText } from '../../skill/decode.js'
import type { Diagnostic, DiagnosticCode } from '../../skill/diagnostics.js'
import { splitFrontmatter } from '../../skill/frontmatter.js'
import { parseSkill } from '../../skill/parse.js'
import type { ParsedSkill } from '../../skill/skill.js'
import { fieldBlocks } from '../../skill/yaml-fields.js'
import { findLoss, type Reading, readText } from './fix-losses.js'
import { type Refusal, type Refusals, STEPS } from './fix-steps.js'

/** A corrected SKILL.md. */
export interface FixedText {
  codes: DiagnosticCode[]
  before: string
  after: string
}

/** A problem that is left to the author. */
export interface NotFixed {
  code: DiagnosticCode
  line?: number
  /** Why it is not corrected. */
  reason: string
  /** How to correct it by hand. */
  hint: string
}

export interface FixResult {
  /** `undefined`: nothing is changed. */
  fixed: FixedText | undefined
  notFixed: NotFixed[]
}

const UNKNOWN: Refusal = { reason: 'it is not certain what was meant' }
const ENCODING = ['bom', 'crlf', 'utf16'] as const
/** What `--fix` corrects. */
const FIXABLE: ReadonlySet<DiagnosticCode> = new Set([
  ...ENCODING,
  ...STEPS.flatMap(({ codes }) => [...codes]),
])
/** A file with one of these is left to its author. */
const UNCERTAIN: ReadonlyMap<DiagnosticCode, string> = new Map([
  ['not-utf8', 'some bytes are not text'],
  ['nul-bytes', 'NUL bytes may be text in another encoding'],
  ['too-large', 'a part of the file is not read'],
  ['yaml-not-a-map', 'the frontmatter is not a set of fields'],
  ['yaml-duplicate-key', 'it is not certain which of two values is meant'],
  ['yaml-too-deep', 'a part of the frontmatter is not read'],
  ['yaml-alias-limit', 'a part of the frontmatter is not read'],
])
/** Texts are corrected again until nothing changes, at most so often. */
const MAX_ROUNDS = 4
/** The line end of old systems. */
const LONE_CARRIAGE_RETURN = /\r(?!\n)/

/**
 * Corrects a SKILL.md for strict readers where it is certain what was meant, but no field of `keep`.
 *
 * Every step edits the place of a problem and leaves the rest byte for byte. Its text is read again and compared with the text before
 * all steps: instructions, fields, comments and words must be the same. A step that fails this is left out, with its reason.
 */
export async function correctSkill(
  bytes: Uint8Array,
  folder: string,
  keep: readonly string[] = [],
): Promise<FixResult> {
  const skill = await parseSkill(bytes, { folder, allows: { fields: keep } })
  const { text: before } = decodeText(bytes)
  const doubts = findDoubts(bytes, before, skill)
  if (doubts.length > 0) return { fixed: undefined, notFixed: doubts }
  const { text, codes } = withLineFeeds(before)
  const refusals: Refusals = new Map()
  const result = await runSteps(await readText(text, folder, keep), { folder, keep, refusals })
  const counts = countFixable(skill)
  const left = countFixable(result.skill)
  for (const [code, count] of counts) {
    if ((left.get(code) ?? 0) < count) codes.add(code)
  }
  const notFixed = [...result.skill.diagnostics]
    .filter(({ code }) => FIXABLE.has(code) && code !== 'crlf')
    .map(one =>
      leave(one, refusals.get(`${one.code}:${one.line}`) ?? refusals.get(one.code) ?? UNKNOWN),
    )
  if (codes.size === 0) return { fixed: undefined, notFixed }
  return { fixed: { codes: [...codes], before, after: result.text }, notFixed }
}

/** Why a file is left as it is. */
function findDoubts(bytes: Uint8Array, text: string, skill: ParsedSkill): NotFixed[] {
  const doubts = skill.diagnostics.flatMap(one => {
    const reason = UNCERTAIN.get(one.code)
    return reason === undefined ? [] : [leave(one, { reason })]
  })
  if (doubts.length > 0) return doubts
  const doubt = (code: DiagnosticCode, reason: string, hint: string): NotFixed[] => [
    { code, reason, hint },
  ]
  if (!isWhole(bytes, text)) {
    return doubt('utf16', 'some bytes are not text', 'save the file as UTF-8')
  }
  if (text.startsWith('\ufeff')) {
    return doubt('bom', 'the file has two byte order marks', 'remove both')
  }
  const { frontmatter } = splitFrontmatter(text)
  if (LONE_CARRIAGE_RETURN.test(frontmatter)) {
    return doubt('crlf', 'some line ends are carriage returns', 'end each line with a line feed')
  }
  return isBroken(skill) ? repeatedFields(frontmatter, skill) : []
}

/** Whether the frontmatter is not valid YAML, so that each field is read alone. */
function isBroken({ diagnostics }: ParsedSkill): boolean {
  return diagnostics.some(
    ({ code }) => code === 'yaml-error' || code === 'yaml-unquoted-colon' || code === 'yaml-tab',
  )
}

/** Reasons to leave a frontmatter that is read field by field: of repeated fields one value is read, and text above them is not. */
function repeatedFields(frontmatter: string, skill: ParsedSkill): NotFixed[] {
  const blocks = fieldBlocks(frontmatter.replaceAll('\r\n', '\n'))
  const keys = blocks.map(({ key }) => key)
  const repeated = keys.find((key, index) => key !== undefined && keys.indexOf(key) !== index)
  const code = skill.diagnostics.find(one => one.code.startsWith('yaml-'))?.code ?? 'yaml-error'
  if (repeated !== undefined) {
    const hint = `remove one of the fields ${JSON.stringify(repeated)}`
    return [{ code, reason: 'it is not certain which of two values is meant', hint }]
  }
  const isOutside = (line: string): boolean => !/^\s*(?:#|$)/.test(line)
  const above = frontmatter.split('\n').slice(0, blocks[0]?.line ?? 0)
  const unread = keys.includes(undefined) || keys.includes('__proto__') || above.some(isOutside)
  const hint = 'write each field as key: value'
  return unread ? [{ code, reason: 'a part of the frontmatter is not read', hint }] : []
}

/** Whether a text has every character of its bytes. Bytes that are not UTF-8 have a diagnostic. */
function isWhole(bytes: Uint8Array, text: string): boolean {
  const [first, second] = bytes
  const isBigEndian = first === 0xfe && second === 0xff
  if (!isBigEndian && !(first === 0xff && second === 0xfe)) return true
  const again = Buffer.from(`\ufeff${text}`, 'utf16le')
  const isSame = Buffer.compare(isBigEndian ? again.swap16() : again, bytes) === 0
  // UTF-8 cannot hold half of a character.
  return isSame && Buffer.from(text).toString() === text
}

/**
 * Replaces CRLF if all lines end so. In a file with both kinds of line ends, only the frontmatter and its fences change, because lines of
 * the instructions may need theirs, such as those of an HTTP request.
 */
function withLineFeeds(text: string): { text: string; codes: Set<DiagnosticCode> } {
  const codes = new Set<DiagnosticCode>()
  if (!/(?<!\r)\n|\r(?!\n)/.test(text)) return { text: text.replaceAll('\r\n', '\n'), codes }
  const { line, opening, below } = splitFrontmatter(text)
  if (line === 0) return { text, codes }
  const head = text.slice(opening, below)
  if (!head.includes('\r\n')) return { text, codes }
  codes.add('crlf')
  return { text: text.slice(0, opening) + head.replaceAll('\r\n', '\n') + text.slice(below), codes }
}

interface RunOptions {
  folder: string
  keep: readonly string[]
  refusals: Refusals
}

/** Runs all steps until nothing changes. If that does not end, the text stays as it was. */
async function runSteps(start: Reading, options: RunOptions): Promise<Reading> {
  let current = start
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const next = await runStepsOnce(current, options)
    if (next.text === current.text) return current
    current = next
  }
  return start
}

async function runStepsOnce(
  start: Reading,
  { folder, keep, refusals }: RunOptions,
): Promise<Reading> {
  let current = start
  for (const step of STEPS) {
    // The places of a proposal are those of the current text, so each one needs the text that the one before it left.
    const refused = new Set<string>()
    for (;;) {
      const proposals = await step.propose(current, refusals, keep)
      const proposal = proposals.find(({ text }) => !refused.has(text))
      if (proposal === undefined) break
      const next = await readText(proposal.text, folder, keep)
      const loss = findLoss(current, next, proposal.allowed)
      if (loss === undefined && isBetter(current.skill, next.skill, step.codes)) current = next
      else {
        refused.add(proposal.text)
        if (loss !== undefined) {
          for (const code of step.codes) refusals.set(code, { reason: loss })
        }
      }
    }
  }
  return current
}

/** Whether there are fewer problems of some codes. */
function isBetter(
  before: ParsedSkill,
  after: ParsedSkill,
  codes: ReadonlySet<DiagnosticCode>,
): boolean {
  const count = ({ diagnostics }: ParsedSkill): number =>
    diagnostics.filter(({ code }) => codes.has(code)).length
  return count(after) < count(before)
}

function countFixable({ diagnostics }: ParsedSkill): Map<DiagnosticCode, number> {
  const counts = new Map<DiagnosticCode, number>()
  for (const { code } of diagnostics) {
    if (FIXABLE.has(code)) counts.set(code, (counts.get(code) ?? 0) + 1)
  }
  return counts
}

function leave({ code, line, message, hint = message }: Diagnostic, refusal: Refusal): NotFixed {
  return { code, ...(line === undefined ? {} : { line }), hint, ...refusal }
}
