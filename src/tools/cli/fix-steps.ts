import { isDeepStrictEqual } from 'node:util'
import type { DiagnosticCode } from '../../skill/diagnostics.js'
import { FIELD_NAMES } from '../../skill/fields.js'
import { splitFrontmatter } from '../../skill/frontmatter.js'
import { specifiedSpelling } from '../../skill/specification.js'
import { readYaml } from '../../skill/yaml.js'
import { type FieldBlock, fieldBlocks } from '../../skill/yaml-fields.js'
import { type Allowed, type Reading, wordsOf } from './fix-losses.js'

/** A correction that a step proposes: the new text, and what it is allowed to change. */
export interface Proposal {
  text: string
  allowed?: Allowed
}

/** Why a problem is left to the author, and what to do by hand if the hint of its diagnostic does not say it. */
export interface Refusal {
  reason: string
  hint?: string
}

/** Refusals by the code of the problem, and by `code:line` for one of several. */
export type Refusals = Map<string, Refusal>

/** One kind of correction. It proposes texts, each to be checked alone, and says what it refuses. */
export interface Step {
  codes: ReadonlySet<DiagnosticCode>
  propose(
    reading: Reading,
    refusals: Refusals,
    keep: readonly string[],
  ): Promise<readonly Proposal[]> | Proposal[]
}

/** Languages that a fence names without saying anything: those of the file itself. */
const FENCE_LANGUAGES = new Set(['md', 'markdown', 'yaml', 'yml'])
const CODE_FENCE = /^[ \t]*(?:```|~~~)/gm
const BLANK_LINE = /^[ \t]*$/m

const FENCES: Step = {
  codes: new Set([
    ...(['fence-trailing-blanks', 'text-before-frontmatter', 'frontmatter-fence'] as const),
    ...(['frontmatter-in-code-fence', 'frontmatter-unopened', 'frontmatter-unclosed'] as const),
  ]),
  propose({ text, skill }, refusals) {
    const problems = skill.diagnostics.map(({ code }) => code).filter(code => this.codes.has(code))
    if (problems.length === 0) return []
    const { frontmatter, body, opening, start, below } = splitFrontmatter(text)
    const closed = text.slice(start + frontmatter.length, below).trim() !== ''
    const reason = fenceDoubt(problems, { frontmatter, body, closed, fields: skill.fields })
    if (reason !== undefined) {
      for (const code of problems) refusals.set(code, { reason })
      return []
    }
    const fence = text.slice(opening, start)
    const isAtEnd =
      body === '' &&
      !text
        .slice(start + frontmatter.length)
        .replace(/^\r?\n/, '')
        .includes('\n')
    return [
      {
        text: `---\n${frontmatter}\n---${isAtEnd ? '' : '\n'}${body}`,
        allowed: { words: wordsOf(fence).filter(word => FENCE_LANGUAGES.has(word)) },
      },
    ]
  },
}

/** Why it is not certain where a frontmatter starts and ends. */
function fenceDoubt(
  problems: readonly DiagnosticCode[],
  part: {
    frontmatter: string
    body: string
    closed: boolean
    fields: Readonly<Record<string, unknown>>
  },
): string | undefined {
  if (part.frontmatter.trim() === '') return 'the frontmatter is empty'
  // Blanks behind a fence leave no doubt about where it is.
  if (problems.every(code => code === 'fence-trailing-blanks')) return undefined
  const names = Object.keys(part.fields).map(key => key.toLowerCase())
  if (!names.includes('name') || !names.includes('description')) {
    return 'without a name and a description it is not certain that it is the frontmatter'
  }
  if (!part.closed && BLANK_LINE.test(part.frontmatter)) {
    return 'it is not certain where the fields end'
  }
  if (!problems.includes('frontmatter-in-code-fence')) return undefined
  if (problems.includes('text-before-frontmatter')) return 'the code block may be an example'
  const isBalanced = (part.body.match(CODE_FENCE)?.length ?? 0) % 2 === 0
  return isBalanced ? undefined : 'it is not certain where the code block ends'
}

const TABS: Step = {
  codes: new Set(['yaml-tab']),
  async propose({ text, skill }, refusals) {
    if (!skill.diagnostics.some(({ code }) => code === 'yaml-tab')) return []
    // A tab that is as wide as two, four or eight spaces gives the same fields only where its width does not matter.
    const proposals = [2, 4, 8].map(width => replaceFrontmatter(text, one => untab(one, width)))
    const [two, ...wider] = await Promise.all(proposals.map(readFields))
    if (wider.every(values => isDeepStrictEqual(values, two))) {
      return [{ text: proposals[0] as string }]
    }
    refusals.set('yaml-tab', { reason: 'the fields depend on how wide a tab is' })
    return []
  },
}

function untab(frontmatter: string, width: number): string {
  return frontmatter.replace(/^[ \t]+/gm, indent => indent.replaceAll('\t', ' '.repeat(width)))
}

async function readFields(text: string): Promise<unknown> {
  const { values } = await readYaml(splitFrontmatter(text).frontmatter, 1)
  return Object.entries(values)
}

const QUOTES: Step = {
  codes: new Set(['yaml-unquoted-colon', 'yaml-error']),
  async propose({ text, skill }, refusals) {
    const problems = skill.diagnostics.filter(({ code }) => this.codes.has(code))
    if (problems.length === 0) return []
    const { frontmatter, line } = splitFrontmatter(text)
    const blocks = new Map(placedBlocks(frontmatter).map(block => [block.line + line, block]))
    const edits: Edit[] = []
    for (const { code, line: at } of problems) {
      const block = blocks.get(at ?? 0)
      const edit = block ? await quoteValue(block) : { reason: UNKNOWN_PLACE }
      if ('replacement' in edit) edits.push(edit)
      else refusals.set(`${code}:${at}`, edit)
    }
    return edits.length > 0
      ? [{ text: replaceFrontmatter(text, one => applyEdits(one, edits)) }]
      : []
  },
}

const UNKNOWN_PLACE = 'the place of the problem is not certain'
const AS_YAML = 'write its lists and maps as valid YAML, or its text in quotes'
/** Characters that a quoted value cannot have as they are. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const UNQUOTABLE = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u2028\u2029\ufeff]/
/** How a value starts that may be more than text: lists, maps, anchors, aliases, tags, block scalars. */
const MORE_THAN_TEXT = /^(?:[[\]{}&*!|>]|[-?:](?:\s|$))/
/** A line that may be a field or an item of a list. */
const STRUCTURE = /^\s*(?:[-*+?]\s|[^\s:]+:(?:\s|$))/

/** Quotes a value that is read as text because it is not valid YAML, or says why its meaning is not certain. */
async function quoteValue({ text, key, valueStart, offset }: PlacedBlock): Promise<Edit | Refusal> {
  const { values, diagnostics } = await readYaml(text, 1)
  const value = key === undefined ? undefined : values[key]
  if (typeof value !== 'string' || diagnostics.length === 0) return { reason: UNKNOWN_PLACE }
  const raw = text.slice(valueStart)
  const [first = '', ...more] = raw.trimEnd().split('\n')
  const [quote] = /^["']/.exec(first.trim()) ?? []
  const isUnwrapped = quote !== undefined && !value.startsWith(quote)
  if (
    first.trim() === '' ||
    more.some(line => STRUCTURE.test(line)) ||
    MORE_THAN_TEXT.test(value)
  ) {
    return {
      reason: 'the value may be a list, a map or another form of YAML instead of text',
      hint: AS_YAML,
    }
  }
  if (more.some(line => line.trim() === '')) return { reason: 'the value has several paragraphs' }
  if (/(?:^|\s)#/.test(raw)) return { reason: 'the text after # may be a comment' }
  if (isUnwrapped && raw.includes(quote === '"' ? '\\' : "''")) {
    return { reason: 'the value has quotes with escapes' }
  }
  if (quote !== undefined && !isUnwrapped && value.split(quote).length % 2 === 0) {
    return { reason: 'it is not certain where the quotes end' }
  }
  if (UNQUOTABLE.test(value)) return { reason: 'the value has control characters' }
  const quoted = `"${value.replace(/[\\"]/g, '\\$&')}"`
  return {
    from: offset + valueStart,
    to: offset + valueStart + raw.trimEnd().length,
    replacement: ` ${quoted}`,
  }
}

const KEYS: Step = {
  codes: new Set(['field-misspelled']),
  propose({ text, skill }, refusals, keep) {
    const { frontmatter, line } = splitFrontmatter(text)
    const blocks = placedBlocks(frontmatter)
    const targets = blocks.map(({ key }) => key && (keep.includes(key) ? key : rightKey(key)))
    return blocks.flatMap(({ key, offset, line: blockLine, text: lines }, index) => {
      const target = targets[index]
      if (!key || !target || target === key) return []
      const isTaken =
        Object.hasOwn(skill.fields, target) ||
        targets.indexOf(target) !== targets.lastIndexOf(target)
      const isSame = wordsOf(key).join(' ') === wordsOf(target).join(' ')
      if (isTaken || !isSame) {
        const reason = isTaken
          ? `there is a field ${target} too`
          : `the words of ${target} differ from those of ${key}`
        refusals.set(`field-misspelled:${line + blockLine}`, { reason })
        return []
      }
      const from = offset + lines.indexOf(key)
      const edit = { from, to: from + key.length, replacement: target }
      return [
        {
          text: replaceFrontmatter(text, one => applyEdits(one, [edit])),
          allowed: { renamed: new Map([[key, target]]) },
        },
      ]
    })
  },
}

/** The key that the author of a frontmatter meant. Spellings that are only similar are not certain. */
function rightKey(key: string): string {
  const lower = key.toLowerCase()
  const isOtherCase = !FIELD_NAMES.includes(key) && FIELD_NAMES.includes(lower)
  return specifiedSpelling(key) ?? (isOtherCase ? (specifiedSpelling(lower) ?? lower) : key)
}

/** The corrections, in the order in which they make each other possible. */
export const STEPS: readonly Step[] = [FENCES, TABS, QUOTES, KEYS]

/** A field and where it starts in the frontmatter. */
interface PlacedBlock extends FieldBlock {
  offset: number
}

function placedBlocks(frontmatter: string): PlacedBlock[] {
  const starts = [0, ...[...frontmatter.matchAll(/\n/g)].map(({ index }) => index + 1)]
  return fieldBlocks(frontmatter).map(block => ({ ...block, offset: starts[block.line] ?? 0 }))
}

interface Edit {
  from: number
  to: number
  replacement: string
}

function applyEdits(text: string, edits: readonly Edit[]): string {
  let result = ''
  let at = 0
  for (const { from, to, replacement } of [...edits].sort((a, b) => a.from - b.from)) {
    result += text.slice(at, from) + replacement
    at = to
  }
  return result + text.slice(at)
}

/** Replaces the text between the fences. Everything else stays as it is. */
function replaceFrontmatter(text: string, replace: (frontmatter: string) => string): string {
  const { frontmatter, start } = splitFrontmatter(text)
  return text.slice(0, start) + replace(frontmatter) + text.slice(start + frontmatter.length)
}
