import * as z from 'zod/mini'

/** What goes over the wire: inputs are checked with these, answers are described by them in the OpenAPI document. */

const MOST_MESSAGE = 10_000
/** An address has room for less than a body. */
const MOST_IN_ADDRESS = 2_000
const MOST_HISTORY = 20

const language = z.enum(['en', 'zh'])
const share = z.number().check(z.gte(0), z.lte(1))
const texts = z.array(z.string().check(z.maxLength(200))).check(z.maxLength(100))
const most = (limit: number) => z.int().check(z.gte(1), z.lte(limit))
const note = (text: string) => z.describe(text)

/** Which skills, in an address. */
export const filterQuery = {
  tag: z.optional(texts.check(note('At least one of these tags'))),
  origin: z.optional(texts.check(note('One of these origins'))),
}

const said = z.string().check(z.maxLength(MOST_MESSAGE))

export const listQuery = z.object({
  ...filterQuery,
  limit: z.optional(most(1_000).check(note('Skills at most. Default 100'))),
  cursor: z.optional(z.string().check(z.maxLength(2_000), note('The nextCursor of the page before'))),
})

const asking = (text: typeof said) => ({
  message: text.check(note('The message, in any language')),
  history: z.optional(z.array(text).check(z.maxLength(MOST_HISTORY), note('What was said before, oldest first'))),
})
const asked = asking(said)
const askedInAddress = asking(z.string().check(z.maxLength(MOST_IN_ADDRESS)))
const decided = {
  threshold: z.optional(share.check(note('Matches whose score is not above it are left out. Default 0.7'))),
  margin: z.optional(share.check(note('How far the first must lead in confidence, else the result is undecided'))),
}
const shown = {
  limit: z.optional(most(50).check(note('Matches at most. Default 3, of a search 5'))),
  language: z.optional(language.check(note('Of the reasons. Default en'))),
}
const filterBody = { tags: z.optional(texts), origins: z.optional(texts) }

export const matchQuery = z.object({ ...askedInAddress, ...decided, ...shown, ...filterQuery })
export const matchBody = z.strictObject({ ...asked, ...decided, ...shown, ...filterBody })
export const searchQuery = z.object({ ...askedInAddress, ...shown, ...filterQuery })
export const searchBody = z.strictObject({ ...asked, ...shown, ...filterBody })
const skillName = z
  .string()
  .check(z.minLength(1), z.maxLength(2_000), note('The id of a skill, or a name that is unique'))
export const explainQuery = z.object({ ...askedInAddress, skill: skillName, language: shown.language })
export const explainBody = z.strictObject({ ...asked, skill: skillName, language: shown.language })
export const promptQuery = z.object({
  tokens: z.optional(most(1_000_000).check(note('What the section may cost. Default: no bound'))),
})
export const archiveQuery = z.object({ format: z.optional(z.enum(['zip', 'tar.gz']).check(note('Default zip'))) })

export const skillParam = z.object({
  skill: skillName.check(
    note('The id of a skill, percent-encoded as one part: `demo%2Fslides`; or a name that is unique'),
  ),
})
export const fileParam = z.object({
  skill: skillName,
  path: z.string().check(z.minLength(1), z.maxLength(2_000), note("A path in the skill's folder")),
})
export const folderParam = z.object({
  folder: z
    .string()
    .check(z.minLength(1), z.maxLength(1_000), note('A folder of the store, percent-encoded as one part')),
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
  total: z.int().check(note('Skills that pass the filter, on all pages')),
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
export const stored = z.object({
  skills: z.array(z.object({ folder: z.string(), name: z.string(), digest: z.string(), details: z.string() })),
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
  code: z.string().check(note('Of the closed set of codes of skillshelf')),
  hint: z.optional(z.string()),
  candidates: z.optional(z.array(z.string())),
})
