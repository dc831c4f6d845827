import { invalidInput } from '../core/errors.js'
import { basename } from '../core/paths.js'
import { checkOptionNames, type OptionNames } from '../core/text/option-names.js'
import {
  estimateTokens,
  INSTRUCTIONS_TOKENS,
  METADATA_TOKENS,
  type TokenCounter,
} from '../core/tokens.js'
import { decodeText } from './decode.js'
import { type Diagnostic, fixedDiagnostics } from './diagnostics.js'
import { readFields } from './fields.js'
import { splitFrontmatter } from './frontmatter.js'
import { fullDescription } from './full-description.js'
import { inferMissing } from './infer.js'
import { isLfsPointer } from './lfs-pointer.js'
import type { ParsedSkill, SkillMetadata, SkillSummary } from './skill.js'
import { checkSpecification, type SystemRules } from './specification.js'
import { readYaml } from './yaml.js'

export interface ParseOptions {
  /** Folder of the skill. Its last part is used as the name if the file has none. */
  folder?: string | undefined
  /** Infer a missing name or description from the folder, the first heading or the first paragraph. @default true */
  infer?: boolean | undefined
  /** Report what breaks the specification as errors instead of warnings. @default false */
  strict?: boolean | undefined
  /** Rules of a system that allows more than the specification. For `skillshelf validate --dialect`. @internal */
  allows?: SystemRules | undefined
  /** Counts tokens for the size warnings. @default estimateTokens */
  countTokens?: TokenCounter | undefined
}

const LARGE_FILE = 1_048_576
/** A semantic version. The patch number may be absent, as in the examples of the specification. */
const VERSION = /^v?\d+\.\d+(?:\.\d+)?(?:[-+].+)?$/
const NO_FIELDS = { values: {}, sources: {}, diagnostics: [] }
const MOVE_TEXT = 'move reference text into separate files'
const diagnostic = /* @__PURE__ */ fixedDiagnostics({
  'empty-file': ['error', 'The file is empty', 'add a name, a description and instructions'],
  'file-not-there': [
    'error',
    'The file is a pointer of Git LFS, not the file itself',
    'run git lfs pull',
  ],
  'empty-body': [
    'warning',
    'The file has no instructions after the frontmatter',
    'add instructions, step by step',
  ],
})

const OPTIONS = {
  folder: 1,
  infer: 1,
  strict: 1,
  allows: 1,
  countTokens: 1,
} satisfies OptionNames<ParseOptions>

/**
 * Parses a SKILL.md. Malformed files never throw: each problem becomes a diagnostic with a line and a hint, and the rest of the file is
 * read. A name or description that is neither given nor inferred is `''`.
 * @param source The file as bytes or text.
 * @throws SkillshelfError `invalid-input` if it is neither
 * @example
 * ```ts
 * import { parseSkill } from 'skillshelf'
 *
 * const { metadata, body, diagnostics } = await parseSkill('---\nname: slides\ndescription: Makes slides.\n---\n\n# Slides\n')
 * console.log(metadata.name) // 'slides'
 * console.log(body.trim()) // '# Slides'
 * console.log(diagnostics) // []
 * ```
 */
export async function parseSkill(
  source: Uint8Array | string,
  options: ParseOptions = {},
): Promise<ParsedSkill> {
  checkOptionNames(options, OPTIONS)
  const { infer = true, strict = false, allows, countTokens = estimateTokens } = options
  const folder = options.folder === undefined ? undefined : basename(options.folder)
  const bytes = typeof source === 'string' ? new TextEncoder().encode(source) : source
  if (!ArrayBuffer.isView(bytes)) throw invalidInput('A SKILL.md must be text or bytes')
  const decoded = decodeText(bytes)
  const placeholder = placeholderDiagnostic(decoded.text)
  if (placeholder) {
    const metadata = { name: '', description: '' }
    return { metadata, fields: {}, frontmatter: '', body: '', diagnostics: [placeholder] }
  }
  const { frontmatter, body, ...split } = splitFrontmatter(decoded.text)
  const fields = split.line === 0 ? NO_FIELDS : await readYaml(frontmatter, split.line)
  const line = split.line || 1
  const lineOf = (field: string): number => {
    const isField = (text: string): boolean =>
      text.startsWith(field) && /^[ \t]*:/.test(text.slice(field.length))
    return line + Math.max(0, frontmatter.split('\n').findIndex(isField))
  }
  const read = readFields(fields, line)
  const { metadata, diagnostics: missing } = inferMissing(read.metadata, { body, folder, infer })
  const isEmpty = decoded.text.trim() === ''

  const diagnostics: Diagnostic[] = [
    ...decoded.diagnostics,
    ...(isEmpty ? [diagnostic('empty-file', 1)] : []),
    ...fileSizeDiagnostics(bytes),
    ...split.diagnostics.map(one =>
      strict && one.severity === 'warning' ? { ...one, severity: 'error' as const } : one,
    ),
    ...fields.diagnostics,
    ...read.diagnostics,
    ...missing,
    ...checkSpecification(metadata, { fields, folder, lineOf, strict, allows }),
    ...(body.trim() === '' && !isEmpty ? [diagnostic('empty-body')] : []),
    ...versionDiagnostics(metadata, lineOf),
    ...tokenDiagnostics(metadata, body, { countTokens, lineOf }),
  ]
  return { metadata, fields: fields.values, frontmatter, body, diagnostics }
}

/** A path alone: a link that was checked out, or downloaded, as a file. */
const LINK_TEXT = /^\s*(?:\.{1,2}\/|\/|[\w.-]+\/)[^\s:]*\s*$/

/** Reports a file that stands for another one. Nothing in it was written for a skill. */
function placeholderDiagnostic(text: string): Diagnostic | undefined {
  if (isLfsPointer(text)) {
    return diagnostic('file-not-there', 1)
  }
  if (!LINK_TEXT.test(text)) return undefined
  const message = `The file holds only the path of a link: ${text.trim().slice(0, 100)}`
  const hint = 'check it out with links, or copy the file'
  return { code: 'file-not-there', severity: 'error', message, line: 1, hint }
}

function fileSizeDiagnostics({ length }: Uint8Array): Diagnostic[] {
  if (length <= LARGE_FILE) return []
  const message = `The file is ${(length / LARGE_FILE).toFixed(1)} MB large`
  return [{ code: 'too-large', severity: 'warning', message, hint: MOVE_TEXT }]
}

function versionDiagnostics(
  { version }: SkillMetadata,
  lineOf: (field: string) => number,
): Diagnostic[] {
  if (version === undefined || VERSION.test(version)) return []
  const message = `The version ${JSON.stringify(version.slice(0, 40))} is not a version number`
  const hint = 'use two or three numbers, such as 1.0.0'
  return [{ code: 'version-not-semver', severity: 'info', message, line: lineOf('version'), hint }]
}

function tokenDiagnostics(
  metadata: SkillMetadata,
  body: string,
  { countTokens, lineOf }: { countTokens: TokenCounter; lineOf(field: string): number },
): Diagnostic[] {
  const diagnostics: Diagnostic[] = []
  const metadataTokens = countTokens(metadataText(metadata))
  if (metadataTokens > METADATA_TOKENS) {
    const message = `The name, the description and when to use it take about ${metadataTokens} tokens in every prompt; at most ${METADATA_TOKENS} are recommended`
    const line = lineOf('description')
    diagnostics.push({
      code: 'metadata-large',
      severity: 'warning',
      message,
      line,
      hint: 'shorten the description',
    })
  }
  const instructionsTokens = countTokens(body)
  if (instructionsTokens > INSTRUCTIONS_TOKENS) {
    const message = `The instructions take about ${instructionsTokens} tokens; at most ${INSTRUCTIONS_TOKENS} are recommended`
    diagnostics.push({ code: 'instructions-large', severity: 'warning', message, hint: MOVE_TEXT })
  }
  return diagnostics
}

/** The line that a prompt contains for every skill, for counting its tokens. */
export function metadataText(
  metadata: Pick<SkillSummary, 'name' | 'description' | 'whenToUse' | 'requires'>,
): string {
  return `- ${metadata.name}: ${fullDescription(metadata)}`
}
