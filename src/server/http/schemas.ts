import * as z from 'zod/mini'
import { BLANK } from '../../core/input-errors.js'
import { type FieldType, LISTED_FIELDS } from '../../library/catalog/summary-fields.js'

/** Schemas of the REST API: they validate requests and describe responses in the OpenAPI document. */

const MAX_MESSAGE = 10_000
export const MAX_MESSAGE_IN_URL = 2_000
const MAX_HISTORY = 20

const language = z.enum(['en', 'zh'])
const fraction = z.number().check(z.gte(0), z.lte(1))
const strings = (most: number) =>
  z.array(z.string().check(z.maxLength(200))).check(z.maxLength(most))
/** In a URL. Node and most proxies refuse a request line of more than 16 KiB. */
const fewStrings = strings(20)
const manyStrings = strings(100)
const ids = (most: number) => z.array(z.string().check(z.maxLength(2_000))).check(z.maxLength(most))
const fewIds = ids(20)
const upTo = (limit: number) => z.int().check(z.gte(1), z.lte(limit))
const example = (one: unknown) => z.meta({ examples: [one] })
/** A field that may be absent. */
const optional = <Schema extends z.ZodMiniType>(
  schema: Schema,
  description: string,
  one?: unknown,
) => z.optional(schema.check(z.describe(description), ...(one === undefined ? [] : [example(one)])))
/**
 * For the OpenAPI document only; `safePath` checks paths. It leaves out control and invisible characters, backslashes, percent-encodings,
 * look-alikes of separators, absolute paths, drive letters, and folders of dots.
 */
const PATH_PATTERN =
  '^(?![A-Za-z][A-Za-z0-9+.-]*:)(?!.*(^|/)[. ]*(/|$))[^\\u0000-\\u001f\\u007f-\\u00ad\\u034f\\u061c\\u115f-\\u1160\\u17b4-\\u17b5\\u180b-\\u180f\\u2000-\\u206f\\u2100-\\u214f\\u2215\\u29f5-\\u29f9\\u3164\\ue000-\\uf8ff\\ufe00-\\ufe6f\\ufeff-\\uff0f\\uff1a\\uff3c\\uffa0\\ufff0-\\uffff%\\\\]+$'
const path = (length: number) =>
  z.string().check(z.minLength(1), z.maxLength(length), z.meta({ pattern: PATH_PATTERN }))

export const filterQuery = {
  tag: optional(fewStrings, 'Skills with at least one of these tags', ['office']),
  origin: optional(fewStrings, 'Skills of one of these origins', ['skills']),
  id: optional(fewIds, 'Skills with one of these ids', ['skills/slides']),
}

const message = z.string().check(z.maxLength(MAX_MESSAGE))
const stated = (text: typeof message) => text.check(z.minLength(1), z.regex(/\S/, BLANK))

export const listQuery = z.object({
  ...filterQuery,
  limit: optional(upTo(1_000), 'Maximum number of skills. Default 100', 20),
  cursor: optional(z.string().check(z.maxLength(2_000)), '`nextCursor` of the previous page'),
})

const messageFields = (text: typeof message) => ({
  message: stated(text).check(
    z.describe('The message, as the user wrote it'),
    example('make slides about our launch'),
  ),
  history: optional(
    z.array(text).check(z.maxLength(MAX_HISTORY)),
    'Previous messages, oldest first',
    ['we launch in May'],
  ),
  pasted: optional(text, 'Text that the user pasted beside the message', 'TypeError: x is null'),
})
const file = z.string().check(z.maxLength(1_000))
const files = (most: number) => {
  const description = 'Files the user works on, relative to the project'
  return optional(z.array(file).check(z.maxLength(most)), description, ['src/app.ts'])
}
const page = 'https://example.com/report.pdf'
const url = optional(z.url().check(z.maxLength(2_000)), 'Page the user works on', page)
const inBody = { ...messageFields(message), files: files(200), url }
const inUrl = {
  ...messageFields(z.string().check(z.maxLength(MAX_MESSAGE_IN_URL))),
  file: files(20),
  url,
}
const decision = {
  threshold: optional(fraction, 'The first match needs a score above it. Default 0.7', 0.7),
  candidates: optional(
    upTo(50),
    'Number of nearest skills that the reranker may choose from. Default 5, or `limit` if larger',
  ),
}
const output = {
  limit: optional(upTo(50), 'Maximum number of matches. Default 3, for search 5', 5),
  language: optional(language, 'Language of the reasons. Default en'),
}
const filterBody = {
  tags: z.optional(manyStrings),
  origins: z.optional(manyStrings),
  ids: z.optional(ids(1_000)),
}

export const matchQuery = z.object({ ...inUrl, ...decision, ...output, ...filterQuery })
export const matchBody = z.strictObject({ ...inBody, ...decision, ...output, ...filterBody })
export const searchQuery = z.object({ ...inUrl, ...output, ...filterQuery })
export const searchBody = z.strictObject({ ...inBody, ...output, ...filterBody })
const skillName = z
  .string()
  .check(
    z.minLength(1),
    z.maxLength(2_000),
    z.describe('Skill id, or a unique name'),
    example('slides'),
  )
export const explainQuery = z.object({ ...inUrl, skill: skillName, language: output.language })
export const explainBody = z.strictObject({
  ...inBody,
  skill: skillName,
  language: output.language,
})
export const promptQuery = z.object({
  tokens: optional(upTo(1_000_000), 'Maximum number of tokens. Default: unlimited', 2_000),
})
export const archiveQuery = z.object({ format: optional(z.enum(['zip', 'tar.gz']), 'Default zip') })

export const skillParam = z.object({
  skill: skillName.check(
    z.describe('Skill id, such as `demo/slides`, or a unique name'),
    example('slides'),
  ),
})
export const fileParam = z.object({
  skill: skillName,
  path: path(1_024).check(z.describe("Path in the skill's folder"), example('SKILL.md')),
})
export const folderParam = z.object({
  folder: path(1_000).check(z.describe('Folder in the store'), example('slides')),
})

/** How a response has a field of each type. */
const FIELD_SCHEMAS: { readonly [Type in FieldType]: z.ZodMiniType } = {
  text: z.string(),
  paths: z.array(z.string()),
  tags: z.array(z.string()),
  names: z.array(z.string()),
  path: z.string(),
  folders: z.array(z.string()),
  digest: z.string(),
  tokens: z.object({ metadata: z.number(), instructions: z.number() }),
  inferred: z.array(z.enum(['name', 'description'])),
  texts: z.record(z.string(), z.string()),
  true: z.literal(true),
  false: z.literal(false),
}
const summaryFields = Object.fromEntries(
  LISTED_FIELDS.map(({ key, type, optional }) => [
    key,
    optional ? z.optional(FIELD_SCHEMAS[type]) : FIELD_SCHEMAS[type],
  ]),
)
export const summary = z.object(summaryFields)
export const diagnostic = z.looseObject({
  code: z.string(),
  severity: z.enum(['error', 'warning', 'info']),
  message: z.string(),
  path: z.optional(z.string()),
  hint: z.optional(z.string()),
})
export const list = z.object({
  revision: z.string(),
  total: optional(
    z.int(),
    'Number of skills that pass the filter, on all pages. Absent if a search engine filters them',
  ),
  skills: z.array(summary),
  nextCursor: z.optional(z.string()),
})
export const snapshot = z.object({
  revision: z.string(),
  skills: z.array(summary),
  total: optional(
    z.int(),
    'Number of skills of a library that is too large for one answer: list them with /v1/skills',
  ),
  diagnostics: z.array(diagnostic),
})
export const skill = z.object({
  ...summaryFields,
  metadata: z.looseObject({ name: z.string(), description: z.string() }),
  instructions: z.string(),
  messages: z.optional(z.array(z.string())),
  notMessages: z.optional(z.array(z.string())),
  text: z.string(),
  frontmatter: z.string(),
  file: z.string(),
  files: z.array(
    z.object({
      path: z.string(),
      kind: z.enum(['script', 'text', 'image', 'binary']),
      mediaType: z.string(),
      size: z.optional(z.int()),
      digest: z.optional(z.string()),
    }),
  ),
  root: z.string(),
  diagnostics: z.array(diagnostic),
})
const matchFields = {
  id: z.string(),
  name: z.string(),
  description: z.string(),
  score: z.number().check(z.describe('Probability that this skill is what the message needs')),
  reason: z.string(),
  signals: z.looseObject({ relevance: z.number(), missing: z.array(z.string()) }),
}
const match = z.object(matchFields)
const resultFields = {
  status: z.enum(['match', 'maybe', 'none']),
  revision: z.string(),
  served: z.number().check(z.describe('Probability that some skill serves the message')),
  matches: z.array(match),
  model: z.string(),
  complete: z
    .boolean()
    .check(
      z.describe(
        'Whether the model took part, as far as the message needs it. false: words alone answered',
      ),
    ),
  abstained: z.optional(
    z.enum([
      'empty-message',
      'empty-library',
      'source-failed',
      'no-common-word',
      'below-threshold',
    ]),
  ),
  skills: optional(
    z.array(summary),
    'The skills of the matches, if /v1/library is too large to list them',
  ),
}
export const result = z.object({
  ...resultFields,
  status: resultFields.status.check(
    z.describe('match: act on the first of matches. maybe: offer a choice. none: nothing fits'),
  ),
  matches: resultFields.matches.check(z.describe('Best first. Empty unless status is match')),
  maybe: z
    .array(match)
    .check(z.describe('Skills to choose from, best first. Empty unless status is maybe')),
})
export const searchResult = z.object({
  ...resultFields,
  status: resultFields.status.check(z.describe('What /v1/match says with the default threshold')),
  matches: resultFields.matches.check(z.describe('Best first')),
})
export const explanation = z.object({ ...matchFields, rank: z.int(), matched: z.boolean() })
export const health = z.object({
  status: z.literal('ok'),
  revision: z.string(),
  skills: z.int(),
  writable: z.boolean(),
})
export const storedSkill = z.object({
  folder: z.string(),
  name: z.string(),
  digest: z.string().check(z.describe('Digest of SKILL.md')),
  details: z.string().check(z.describe('Digest of the other files and metadata')),
  etag: z.string().check(z.describe('For If-Match and If-None-Match')),
  vectors: optional(z.string(), 'The transformer whose vectors it has'),
})
export const stored = z.object({ skills: z.array(storedSkill) })
export const sweepBody = z.strictObject({
  olderThan: optional(
    z.int().check(z.gte(0)),
    'Milliseconds since a file was written. Default 604800000, 7 days',
  ),
  dryRun: optional(z.boolean(), 'Only report the files'),
})
export const sweep = z.object({
  removed: z.array(z.string()).check(z.describe('Paths of removed files')),
  bytes: z.number().check(z.describe('Sum of their sizes')),
  kept: z.int().check(z.describe('Number of unused files that are too young')),
})
export const engineHead = z.object({
  library: z.string(),
  head: optional(z.string(), 'skillshelf.json of the library'),
})
export const uploadQuery = z.object({
  allow: optional(
    z.array(z.string().check(z.minLength(1), z.maxLength(1_024))).check(z.maxLength(200)),
    'Paths of files, or of folders of files, that are stored although they look like secrets',
    ['my-skill/assets/test-key.pem'],
  ),
})
export const engineFilesQuery = z.object({
  remove: optional(z.array(z.string()), 'Paths of files to remove'),
})
export const engineFiles = z.object({ stored: z.int() })
export const change = z.object({
  added: z.array(z.string()),
  changed: z.array(z.string()),
  removed: z.array(z.string()),
  diagnostics: z.array(diagnostic),
})
export const problem = z.looseObject({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.string().check(z.describe('Error code of skillshelf')),
  hint: z.optional(z.string()),
  candidates: z.optional(z.array(z.string())),
})
