import * as z from 'zod/mini'

/** Schemas of the REST API: they validate requests and describe responses in the OpenAPI document. */

const MAX_MESSAGE = 10_000
const MAX_MESSAGE_IN_URL = 2_000
const MAX_HISTORY = 20

const language = z.enum(['en', 'zh'])
const fraction = z.number().check(z.gte(0), z.lte(1))
const strings = z.array(z.string().check(z.maxLength(200))).check(z.maxLength(100))
const upTo = (limit: number) => z.int().check(z.gte(1), z.lte(limit))

export const filterQuery = {
  tag: z.optional(strings.check(z.describe('Skills with at least one of these tags'))),
  origin: z.optional(strings.check(z.describe('Skills of one of these origins'))),
}

const message = z.string().check(z.maxLength(MAX_MESSAGE))

export const listQuery = z.object({
  ...filterQuery,
  limit: z.optional(upTo(1_000).check(z.describe('Maximum number of skills. Default 100'))),
  cursor: z.optional(z.string().check(z.maxLength(2_000), z.describe('`nextCursor` of the previous page'))),
})

const messageFields = (text: typeof message) => ({
  message: text.check(z.describe('The message, in any language')),
  history: z.optional(z.array(text).check(z.maxLength(MAX_HISTORY), z.describe('Previous messages, oldest first'))),
})
const inBody = messageFields(message)
const inUrl = messageFields(z.string().check(z.maxLength(MAX_MESSAGE_IN_URL)))
const decision = {
  threshold: z.optional(fraction.check(z.describe('Matches need a score above it. Default 0.7'))),
  margin: z.optional(
    fraction.check(
      z.describe('Minimum lead of the first match in confidence. With a smaller lead the result is undecided'),
    ),
  ),
  candidates: z.optional(
    upTo(50).check(
      z.describe('Number of nearest skills that the reranker may choose from. Default 5, or `limit` if larger'),
    ),
  ),
}
const output = {
  limit: z.optional(upTo(50).check(z.describe('Maximum number of matches. Default 3, for search 5'))),
  language: z.optional(language.check(z.describe('Language of the reasons. Default en'))),
}
const filterBody = { tags: z.optional(strings), origins: z.optional(strings) }

export const matchQuery = z.object({ ...inUrl, ...decision, ...output, ...filterQuery })
export const matchBody = z.strictObject({ ...inBody, ...decision, ...output, ...filterBody })
export const searchQuery = z.object({ ...inUrl, ...output, ...filterQuery })
export const searchBody = z.strictObject({ ...inBody, ...output, ...filterBody })
const skillName = z.string().check(z.minLength(1), z.maxLength(2_000), z.describe('Skill id, or a unique name'))
export const explainQuery = z.object({ ...inUrl, skill: skillName, language: output.language })
export const explainBody = z.strictObject({ ...inBody, skill: skillName, language: output.language })
export const promptQuery = z.object({
  tokens: z.optional(upTo(1_000_000).check(z.describe('Maximum number of tokens. Default: unlimited'))),
})
export const archiveQuery = z.object({ format: z.optional(z.enum(['zip', 'tar.gz']).check(z.describe('Default zip'))) })

export const skillParam = z.object({
  skill: skillName.check(z.describe('Skill id, percent-encoded as one segment (`demo%2Fslides`), or a unique name')),
})
export const fileParam = z.object({
  skill: skillName,
  path: z.string().check(z.minLength(1), z.maxLength(2_000), z.describe("Path in the skill's folder")),
})
export const folderParam = z.object({
  folder: z
    .string()
    .check(z.minLength(1), z.maxLength(1_000), z.describe('Folder in the store, percent-encoded as one segment')),
})

const tokens = z.object({ metadata: z.number(), instructions: z.number() })
const summaryFields = {
  id: z.string(),
  name: z.string(),
  displayName: z.optional(z.string()),
  description: z.string(),
  tags: z.array(z.string()),
  origin: z.string(),
  path: z.string(),
  digest: z.string(),
  tokens,
  unread: z.optional(z.literal(true)),
  inferred: z.optional(z.array(z.enum(['name', 'description']))),
  disableModelInvocation: z.optional(z.literal(true)),
  userInvocable: z.optional(z.literal(false)),
}
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
  total: z.int().check(z.describe('Number of skills that pass the filter, on all pages')),
  skills: z.array(summary),
  nextCursor: z.optional(z.string()),
})
export const snapshot = z.object({
  revision: z.string(),
  skills: z.array(summary),
  diagnostics: z.array(diagnostic),
})
export const skill = z.object({
  ...summaryFields,
  metadata: z.looseObject({ name: z.string(), description: z.string() }),
  instructions: z.string(),
  messages: z.optional(z.array(z.string())),
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
  score: z.number(),
  confidence: z.number(),
  reason: z.string(),
  signals: z.looseObject({ relevance: z.number(), missing: z.array(z.string()) }),
}
export const result = z.object({
  revision: z.string(),
  matches: z.array(z.object(matchFields)),
  model: z.string(),
  abstained: z.optional(
    z.enum(['empty-message', 'empty-library', 'source-failed', 'no-common-word', 'below-threshold']),
  ),
  undecided: z.optional(z.literal(true)),
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
})
export const stored = z.object({ skills: z.array(storedSkill) })
export const sweepBody = z.strictObject({
  olderThan: z.optional(
    z.int().check(z.gte(0), z.describe('Milliseconds since a file was written. Default 604800000, 7 days')),
  ),
  dryRun: z.optional(z.boolean().check(z.describe('Only report the files'))),
})
export const sweep = z.object({
  removed: z.array(z.string()).check(z.describe('Paths of removed files')),
  bytes: z.number().check(z.describe('Sum of their sizes')),
  kept: z.int().check(z.describe('Number of unused files that are too young')),
})
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
