import { basename } from '../core/paths.js'
import { estimateTokens, INSTRUCTIONS_TOKENS, METADATA_TOKENS, type TokenCounter } from '../core/tokens.js'
import { decodeText } from './decode.js'
import type { Diagnostic } from './diagnostics.js'
import { readFields } from './fields.js'
import { splitFrontmatter } from './frontmatter.js'
import { firstHeading, firstParagraph } from './infer.js'
import type { ParsedSkill, SkillMetadata } from './skill.js'
import { checkSpecification } from './specification.js'
import { type FrontmatterFields, readYaml } from './yaml.js'

export interface ParseOptions {
  /** Folder of the skill. Its last part is used as the name if the file has none. */
  folder?: string | undefined
  /**
   * Infer a missing name or description from the folder, the first heading or the first paragraph.
   * @default true
   */
  infer?: boolean | undefined
  /**
   * Report what breaks the specification as errors instead of warnings.
   * @default false
   */
  strict?: boolean | undefined
  /**
   * Counts tokens for the size warnings.
   * @default estimateTokens
   */
  countTokens?: TokenCounter | undefined
}

/** Larger files are reported. */
const LARGE_FILE = 1_048_576
/** A semantic version. The patch number may be absent, as in the examples of the specification. */
const VERSION = /^v?\d+\.\d+(?:\.\d+)?(?:[-+].+)?$/

/**
 * Parses a SKILL.md. Malformed files never throw: each problem becomes a diagnostic with a line and a hint, and the rest of the file is
 * read. A name or description that is neither given nor inferred is `''`.
 *
 * @param source The file as bytes or text.
 * @returns Metadata, body and diagnostics.
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
export async function parseSkill(source: Uint8Array | string, options: ParseOptions = {}): Promise<ParsedSkill> {
  const { infer = true, strict = false, countTokens = estimateTokens } = options
  const bytes = typeof source === 'string' ? new TextEncoder().encode(source) : source
  const { text, diagnostics } = decodeText(bytes)
  if (text.trim() === '')
    diagnostics.push({
      code: 'empty-file',
      severity: 'error',
      message: 'The file is empty',
      line: 1,
      hint: 'add a name, a description and instructions',
    })
  if (bytes.length > LARGE_FILE)
    diagnostics.push({
      code: 'too-large',
      severity: 'warning',
      message: `The file is ${(bytes.length / 1_048_576).toFixed(1)} MB large`,
      hint: 'move reference text into separate files',
    })

  const split = splitFrontmatter(text)
  diagnostics.push(
    ...split.diagnostics.map(one =>
      strict && one.severity === 'warning' ? { ...one, severity: 'error' as const } : one,
    ),
  )
  const fields: FrontmatterFields & { diagnostics: Diagnostic[] } =
    split.line === 0 ? { values: {}, sources: {}, diagnostics: [] } : await readYaml(split.frontmatter, split.line)
  diagnostics.push(...fields.diagnostics)
  const line = split.line || 1
  const lineOf = (field: string): number => {
    const isField = (text: string): boolean => text.startsWith(field) && /^[ \t]*:/.test(text.slice(field.length))
    const index = split.frontmatter.split('\n').findIndex(isField)
    return line + Math.max(0, index)
  }
  const read = readFields(fields, line)
  diagnostics.push(...read.diagnostics)

  const folder = options.folder === undefined ? undefined : basename(options.folder)
  const metadata = inferMissing(read.metadata, split.body, folder, infer, diagnostics)
  diagnostics.push(...checkSpecification(metadata, fields, folder, lineOf, strict))
  if (split.body.trim() === '' && text.trim() !== '')
    diagnostics.push({
      code: 'empty-body',
      severity: 'warning',
      message: 'The file has no instructions after the frontmatter',
      hint: 'add instructions, step by step',
    })
  if (metadata.version !== undefined && !VERSION.test(metadata.version))
    diagnostics.push({
      code: 'version-not-semver',
      severity: 'info',
      message: `The version ${JSON.stringify(metadata.version.slice(0, 40))} is not a version number`,
      line: lineOf('version'),
      hint: 'use two or three numbers, such as 1.0.0',
    })

  const metadataTokens = countTokens(metadataText(metadata))
  if (metadataTokens > METADATA_TOKENS)
    diagnostics.push({
      code: 'metadata-large',
      severity: 'info',
      message: `The name and description take about ${metadataTokens} tokens in every prompt; at most ${METADATA_TOKENS} are recommended`,
      line: lineOf('description'),
      hint: 'shorten the description',
    })
  const instructionsTokens = countTokens(split.body)
  if (instructionsTokens > INSTRUCTIONS_TOKENS)
    diagnostics.push({
      code: 'instructions-large',
      severity: 'warning',
      message: `The instructions take about ${instructionsTokens} tokens; at most ${INSTRUCTIONS_TOKENS} are recommended`,
      hint: 'move reference text into separate files',
    })
  return { metadata, fields: fields.values, frontmatter: split.frontmatter, body: split.body, diagnostics }
}

/** The line that a prompt contains for every skill, for counting its tokens. */
export function metadataText(metadata: { name: string; description: string }): string {
  return `- ${metadata.name}: ${metadata.description}`
}

function inferMissing(
  read: Partial<SkillMetadata>,
  body: string,
  folder: string | undefined,
  infer: boolean,
  diagnostics: Diagnostic[],
): SkillMetadata {
  const inferred: ('name' | 'description')[] = []
  const field = (key: 'name' | 'description', inferValue: () => string | undefined): string => {
    const given = read[key]?.trim()
    if (given) return given
    const value = infer ? inferValue()?.trim() : undefined
    if (value) {
      inferred.push(key)
      diagnostics.push({
        code: `${key}-inferred`,
        severity: 'warning',
        message: `The skill has no ${key}; ${JSON.stringify(value.slice(0, 60))} is used instead`,
        line: 1,
        hint: `add ${key}: to the frontmatter`,
      })
      return value
    }
    diagnostics.push({
      code: `${key}-missing`,
      severity: 'error',
      message: `The skill has no ${key}`,
      line: 1,
      hint: `add ${key}: to the frontmatter`,
    })
    return ''
  }
  const name = field('name', () => folder || firstHeading(body))
  const description = field('description', () => firstParagraph(body) ?? firstHeading(body))
  return { ...read, name, description, ...(inferred.length > 0 ? { inferred } : {}) }
}
