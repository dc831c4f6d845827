import { basename } from '../core/paths.js'
import { estimateTokens, INSTRUCTIONS_TOKENS, METADATA_TOKENS, type TokenCounter } from '../core/tokens.js'
import { decodeText } from './decode.js'
import type { Diagnostic } from './diagnostics.js'
import { readFields } from './fields.js'
import { splitFrontmatter } from './frontmatter.js'
import { firstHeading, firstParagraph } from './infer.js'
import { checkSpecification } from './specification.js'
import type { ParsedSkill, SkillMetadata } from './types.js'
import { type FrontmatterFields, readYaml } from './yaml.js'

export interface ParseOptions {
  /** The skill's folder: its last part stands in for a missing name. */
  folder?: string | undefined
  /** Put folder, first heading and first paragraph in for a missing name or description. Default true. */
  infer?: boolean | undefined
  /** What breaks the specification is an error, not a warning. Default false. */
  strict?: boolean | undefined
  countTokens?: TokenCounter | undefined
}

/** A body over this many bytes is reported; it is kept whole. */
const LARGE_FILE = 1_048_576

/**
 * Reads a SKILL.md. Survives everything: what is wrong is a diagnostic with a line and a hint, and what can be read is kept.
 * Without a name or description (own or inferred) the field is `''`, with `name-missing` or `description-missing`.
 */
export async function parseSkill(source: Uint8Array | string, options: ParseOptions = {}): Promise<ParsedSkill> {
  const { infer = true, strict = false, countTokens = estimateTokens } = options
  const bytes = typeof source === 'string' ? new TextEncoder().encode(source) : source
  const { text, diagnostics } = decodeText(bytes)
  if (text.trim() === '')
    diagnostics.push({ code: 'empty-file', severity: 'error', message: 'The file is empty', line: 1 })
  if (bytes.length > LARGE_FILE)
    diagnostics.push({
      code: 'too-large',
      severity: 'warning',
      message: `The file has ${(bytes.length / 1_048_576).toFixed(1)} MB`,
      hint: 'move reference text into files beside it',
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
  const read = readFields(fields, split.line || 1)
  diagnostics.push(...read.diagnostics)

  const folder = options.folder === undefined ? undefined : basename(options.folder)
  const metadata = complete(read.metadata, split.body, folder, infer, diagnostics)
  diagnostics.push(...checkSpecification(metadata, fields, folder, split.line || 1, strict))
  if (split.body.trim() === '' && text.trim() !== '')
    diagnostics.push({
      code: 'empty-body',
      severity: 'warning',
      message: 'There are no instructions after the frontmatter',
      hint: 'say what to do, step by step',
    })
  if (metadata.version !== undefined && !/^v?\d+\.\d+\.\d+(?:[-+].+)?$/.test(metadata.version))
    diagnostics.push({
      code: 'version-not-semver',
      severity: 'info',
      message: `The version ${JSON.stringify(metadata.version.slice(0, 40))} is not a semantic version`,
      line: split.line || 1,
      hint: 'write three numbers, for example 1.0.0',
    })

  const level1 = countTokens(metadataText(metadata))
  if (level1 > METADATA_TOKENS)
    diagnostics.push({
      code: 'metadata-large',
      severity: 'warning',
      message: `Name and description cost about ${level1} tokens in every prompt; ${METADATA_TOKENS} are advised`,
      line: split.line || 1,
      hint: 'shorten the description',
    })
  const level2 = countTokens(split.body)
  if (level2 > INSTRUCTIONS_TOKENS)
    diagnostics.push({
      code: 'instructions-large',
      severity: 'warning',
      message: `The instructions cost about ${level2} tokens; ${INSTRUCTIONS_TOKENS} are advised`,
      hint: 'move reference text into files beside it',
    })
  return { metadata, fields: fields.values, frontmatter: split.frontmatter, body: split.body, diagnostics }
}

/** What level 1 puts into a prompt for a skill, for counting its tokens. */
export function metadataText(metadata: { name: string; description: string }): string {
  return `- ${metadata.name}: ${metadata.description}`
}

function complete(
  read: Partial<SkillMetadata>,
  body: string,
  folder: string | undefined,
  infer: boolean,
  diagnostics: Diagnostic[],
): SkillMetadata {
  const inferred: ('name' | 'description')[] = []
  const field = (key: 'name' | 'description', stand: () => string | undefined): string => {
    const own = read[key]?.trim()
    if (own) return own
    const value = infer ? stand()?.trim() : undefined
    if (value) {
      inferred.push(key)
      diagnostics.push({
        code: `${key}-inferred`,
        severity: 'warning',
        message: `There is no ${key}; ${JSON.stringify(value.slice(0, 60))} stands in`,
        line: 1,
        hint: `add ${key}: to the frontmatter`,
      })
      return value
    }
    diagnostics.push({
      code: `${key}-missing`,
      severity: 'error',
      message: `There is no ${key}`,
      line: 1,
      hint: `add ${key}: to the frontmatter`,
    })
    return ''
  }
  const name = field('name', () => folder || firstHeading(body))
  const description = field('description', () => firstParagraph(body) ?? firstHeading(body))
  return { ...read, name, description, ...(inferred.length > 0 ? { inferred } : {}) }
}
