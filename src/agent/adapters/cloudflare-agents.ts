import { toBase64 } from '../../core/base64.js'
import { mapParallel, PARALLEL_READS } from '../../core/concurrency.js'
import { errorMessage, isSkillshelfError } from '../../core/errors.js'
import { isRecord } from '../../core/plain-data.js'
import type { SkillLibrary } from '../../library/skill-library.js'
import type { Diagnostic } from '../../skill/diagnostics.js'
import { parseSkill } from '../../skill/parse.js'
import type { Skill, SkillFileInfo, SkillId } from '../../skill/skill.js'

/** `SkillSource` of `agents/skills` (cloudflare/agents 0.32). Its branded names and paths are plain strings here. */
export interface AgentsSource {
  readonly id: string
  list(): Promise<AgentsResult<AgentsListing>>
  readResource(skill: string, path: string): Promise<AgentsResult<AgentsResource>>
}

/** A result or an expected failure. */
export type AgentsResult<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: Error }

/** The skills of an agents source. */
export interface AgentsListing {
  readonly skills: readonly AgentsListedSkill[]
  /** Invalid skills with their errors. */
  readonly invalid: readonly { readonly location: string; readonly error: Error }[]
}

/** A skill with its files. */
export interface AgentsListedSkill {
  readonly skill: AgentsSkill
  /** All files except SKILL.md. */
  readonly resources: readonly AgentsResourceInfo[]
  /** Absolute path of the folder in the agent's file system. */
  readonly location?: string
  readonly warnings?: readonly Error[]
}

/** A parsed SKILL.md. */
export interface AgentsSkill {
  /** One path segment, unique in a catalog. */
  readonly name: string
  readonly description: string
  readonly license?: string
  readonly compatibility?: string
  readonly metadata: Readonly<Record<string, string>>
  readonly allowedTools: readonly string[]
  /** Frontmatter fields outside the specification. */
  readonly extraFields: Readonly<Record<string, unknown>>
  readonly body: string
}

/** A file of a skill. */
export interface AgentsResourceInfo {
  /** Relative to the skill's folder. */
  readonly path: string
  readonly kind: 'script' | 'reference' | 'asset' | 'file'
  readonly encoding: 'text' | 'base64'
  readonly mimeType?: string
  /** Size in bytes. */
  readonly size?: number
}

/** A file of a skill with its content. */
export interface AgentsResource extends AgentsResourceInfo {
  readonly content: string
}

/** Frontmatter fields that `AgentsSkill` has itself. */
const STANDARD_FIELDS = new Set(['name', 'description', 'license', 'compatibility', 'metadata', 'allowed-tools'])

interface OpenedLibrary {
  revision: string
  listing: AgentsListing
  /** Ids by name in the agents catalog. */
  ids: ReadonlyMap<string, SkillId>
}

/**
 * Uses a library as a source of cloudflare/agents.
 *
 * Each listing refreshes the library. After a change it opens every skill, because the agents catalog holds all instructions. Names are
 * unique in that catalog: of two skills with the same name, the second is listed by its id. Failures are returned, not thrown, as
 * `agents/skills` requires.
 *
 * @param library The library to list.
 * @param options `id`: id of the source, default `skillshelf`.
 * @returns A source for `loadSkillCatalog` of `agents/skills`.
 * @example
 * ```ts
 * import { loadSkillCatalog } from 'agents/skills'
 *
 * const catalog = await loadSkillCatalog([toAgentsSource(library)])
 * ```
 */
export function toAgentsSource<Source extends AgentsSource = AgentsSource>(
  library: SkillLibrary,
  { id = 'skillshelf' }: { id?: string | undefined } = {},
): Source {
  let opened: OpenedLibrary | undefined

  const source: AgentsSource = {
    id,
    async list() {
      try {
        await library.refresh()
        const { revision, skills, diagnostics } = library.snapshot
        const failed = diagnostics.find(({ code }) => code === 'source-unreadable')
        // After an error the agents catalog keeps its previous skills.
        if (failed && skills.length === 0) throw new Error(failed.message)
        if (opened?.revision !== revision) opened = await openAll(library, revision)
        return { ok: true, value: opened.listing }
      } catch (error) {
        return sourceError(id, 'list', error)
      }
    },
    async readResource(skill, path): Promise<AgentsResult<AgentsResource>> {
      try {
        const file = await library.read(opened?.ids.get(skill) ?? skill, path)
        const info = toResourceInfo({ ...file, path })
        const encoding = file.text === undefined ? 'base64' : info.encoding
        const content = encoding === 'text' ? (file.text as string) : toBase64(file.bytes)
        return { ok: true, value: { ...info, encoding, content } }
      } catch (error) {
        if (isSkillshelfError(error, 'resource-not-found', 'skill-not-found', 'ambiguous-name', 'invalid-path'))
          return failure('SkillResourceNotFoundError', `Resource not found: ${skill}/${path}`, { skill, path }, error)
        return sourceError(id, 'read-resource', error)
      }
    },
  }
  // The names of `agents/skills` are branded strings of the same shape.
  return source as Source
}

async function openAll(library: SkillLibrary, revision: string): Promise<OpenedLibrary> {
  const { skills, diagnostics } = library.snapshot
  const invalid = diagnostics
    .filter(({ code }) => code === 'skill-left-out' || code === 'skill-unreadable')
    .map(diagnostic => ({ location: diagnostic.path ?? '', error: parseError(diagnostic) }))
  const leftOut = invalid.length
  const ids = new Map<string, SkillId>()
  const names = new Map<SkillId, string>()
  for (const { id, name } of skills) {
    const unique = uniqueName(id, name, ids)
    ids.set(unique, id)
    names.set(id, unique)
  }
  const listed = await mapParallel(skills, PARALLEL_READS, async ({ id }): Promise<AgentsListedSkill | undefined> => {
    try {
      return await toListedSkill(await library.get(id), names.get(id) as string)
    } catch (error) {
      const message = errorMessage(error)
      invalid.push({ location: id, error: parseError({ code: 'skill-unreadable', severity: 'error', message }) })
      return undefined
    }
  })
  const listing = { skills: listed.filter(skill => skill !== undefined), invalid }
  // Without a revision the next listing tries failed skills again.
  return { revision: invalid.length === leftOut ? revision : '', listing, ids }
}

async function toListedSkill(skill: Skill, name: string): Promise<AgentsListedSkill> {
  const { description, license, compatibility, allowedTools = [] } = skill.metadata
  const { fields } = await parseSkill(skill.text, { folder: skill.path })
  const metadata = isRecord(fields['metadata']) ? Object.entries(fields['metadata']) : []
  const diagnostics: Diagnostic[] = skill.diagnostics.filter(({ severity }) => severity !== 'info')
  if (name !== skill.name)
    diagnostics.push({
      code: 'name-invalid',
      severity: 'warning',
      message: `${skill.id} is listed as ${name}, because agents/skills accepts only lowercase names`,
    })
  return {
    skill: {
      name,
      description,
      ...(license === undefined ? {} : { license }),
      ...(compatibility === undefined ? {} : { compatibility }),
      metadata: Object.fromEntries(
        metadata.flatMap(([key, value]) =>
          ['string', 'number', 'boolean'].includes(typeof value) ? [[key, String(value)]] : [],
        ),
      ),
      allowedTools,
      extraFields: {
        ...Object.fromEntries(Object.entries(fields).filter(([key]) => !STANDARD_FIELDS.has(key))),
        // In one spelling, whatever the frontmatter uses.
        ...(skill.disableModelInvocation ? { 'disable-model-invocation': true } : {}),
      },
      body: skill.instructions,
    },
    resources: skill.files.map(toResourceInfo),
    ...(diagnostics.length > 0 ? { warnings: diagnostics.map(parseError) } : {}),
  }
}

function toResourceInfo({ path, kind, mediaType, size }: SkillFileInfo): AgentsResourceInfo {
  const folder = path.split('/', 1)[0]
  return {
    path,
    kind:
      folder === 'scripts' ? 'script' : folder === 'references' ? 'reference' : folder === 'assets' ? 'asset' : 'file',
    encoding: kind === 'script' || kind === 'text' ? 'text' : 'base64',
    mimeType: mediaType,
    ...(size === undefined ? {} : { size }),
  }
}

/** A unique name that is one path segment. */
function uniqueName(id: SkillId, name: string, used: ReadonlyMap<string, SkillId>): string {
  const safe = (text: string): string =>
    text
      .replace(/[/\\\p{Cc}]+/gu, '-')
      .trim()
      .replace(/^\.{1,2}$/, '-') || 'skill'
  if (!used.has(safe(name))) return safe(name)
  let unique = safe(id)
  for (let number = 2; used.has(unique); number++) unique = `${safe(id)}~${number}`
  return unique
}

/** Creates an error that `agents/skills` recognizes by its `_tag`. */
function taggedError(tag: string, message: string, fields: object, cause?: unknown): Error {
  return Object.assign(new Error(message, { cause }), { name: tag, _tag: tag, ...fields })
}

function failure(tag: string, message: string, fields: object, cause: unknown): { ok: false; error: Error } {
  return { ok: false, error: taggedError(tag, message, fields, cause) }
}

function sourceError(
  sourceId: string,
  operation: 'list' | 'read-resource',
  cause: unknown,
): { ok: false; error: Error } {
  const message = errorMessage(cause)
  return failure('SkillSourceError', message, { sourceId, operation }, cause)
}

function parseError({ code, message }: Diagnostic): Error {
  return taggedError('SkillParseError', message, { code: parseErrorCode(code) })
}

/** The code of `agents/skills` for a diagnostic. */
function parseErrorCode(code: Diagnostic['code']): string {
  if (code === 'name-not-folder') return 'name-mismatch'
  if (code === 'allowed-tools-form') return 'invalid-allowed-tools'
  if (code === 'metadata-not-strings') return 'invalid-metadata'
  if (/frontmatter|^empty-file$/.test(code)) return 'missing-frontmatter'
  const [rule] = /^(?:name|description|compatibility|yaml)(?=-)/.exec(code) ?? []
  return `invalid-${rule ?? 'frontmatter'}`
}
