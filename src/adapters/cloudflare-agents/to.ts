import { mapParallel } from '../../core/concurrency.js'
import { errorMessage, isSkillshelfError } from '../../core/errors.js'
import { isRecord } from '../../core/record.js'
import type { SkillLibrary } from '../../library/types.js'
import type { Diagnostic } from '../../skill/diagnostics.js'
import { parseSkill } from '../../skill/parse.js'
import type { Skill, SkillFileInfo, SkillId } from '../../skill/types.js'
import { toBase64 } from './base64.js'
import type {
  AgentsListedSkill,
  AgentsListing,
  AgentsResource,
  AgentsResourceInfo,
  AgentsResult,
  AgentsSource,
} from './types.js'

const PARALLEL_READS = 6
/** Frontmatter that has a place of its own over there. */
const KNOWN = new Set(['name', 'description', 'license', 'compatibility', 'metadata', 'allowed-tools'])

interface Held {
  revision: string
  listing: AgentsListing
  /** Ids of skills, by the names they have over there. */
  ids: ReadonlyMap<string, SkillId>
}

/**
 * A library as a source of cloudflare/agents: `const source: SkillSource = toAgentsSource(library)`, or right in
 * `loadSkillCatalog([toAgentsSource(library)])`. Each listing refreshes the library, and opens every skill where anything changed, for
 * their catalog holds the instructions of all. Names are unique over there: of two skills with one name the second is called by its id.
 * `id`: default `skillshelf`. Nothing is thrown: failures are returned, as their interface wants.
 */
export function toAgentsSource<Source extends AgentsSource = AgentsSource>(
  library: SkillLibrary,
  options: { id?: string | undefined } = {},
): Source {
  const id = options.id ?? 'skillshelf'
  let held: Held | undefined

  const source: AgentsSource = {
    id,
    async list() {
      try {
        await library.refresh()
        const { revision, skills, diagnostics } = library.snapshot
        const failed = diagnostics.find(({ code }) => code === 'source-unreadable')
        // Then their catalog keeps what it had before.
        if (failed && skills.length === 0) throw new Error(failed.message)
        if (held?.revision === revision) return { ok: true, value: held.listing }
        const { whole, ...found } = await openAll(library)
        // Skills that could not be opened are tried again the next time.
        held = { revision: whole ? revision : '', ...found }
        return { ok: true, value: held.listing }
      } catch (error) {
        return sourceError(id, 'list', error)
      }
    },
    async readResource(skill, path): Promise<AgentsResult<AgentsResource>> {
      try {
        const file = await library.read(held?.ids.get(skill) ?? skill, path)
        const info = infoOf({ ...file, path })
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
  // Their names are strings with a brand, which only their own parser hands out; the shape is the same.
  return source as Source
}

async function openAll(library: SkillLibrary): Promise<Omit<Held, 'revision'> & { whole: boolean }> {
  const { skills, diagnostics } = library.snapshot
  const invalid = diagnostics
    .filter(({ code }) => code === 'skill-left-out' || code === 'skill-unreadable')
    .map(one => ({ location: one.path ?? '', error: parseError(one) }))
  const left = invalid.length
  const ids = new Map<string, SkillId>()
  const names = new Map<SkillId, string>()
  for (const { id, name } of skills) {
    const given = nameFor(id, name, ids)
    ids.set(given, id)
    names.set(id, given)
  }
  const opened = await mapParallel(skills, PARALLEL_READS, async ({ id }): Promise<AgentsListedSkill | undefined> => {
    try {
      return await listed(await library.get(id), names.get(id) as string)
    } catch (error) {
      const message = errorMessage(error)
      invalid.push({ location: id, error: parseError({ code: 'skill-unreadable', severity: 'error', message }) })
      return undefined
    }
  })
  const listing = { skills: opened.filter(one => one !== undefined), invalid }
  return { listing, ids, whole: invalid.length === left }
}

async function listed(skill: Skill, name: string): Promise<AgentsListedSkill> {
  const { description, license, compatibility, allowedTools = [] } = skill.metadata
  const { fields } = await parseSkill(skill.text, { folder: skill.path })
  const own = isRecord(fields['metadata']) ? Object.entries(fields['metadata']) : []
  const diagnostics: Diagnostic[] = skill.diagnostics.filter(({ severity }) => severity !== 'info')
  if (name !== skill.name)
    diagnostics.push({ code: 'name-invalid', severity: 'warning', message: `${skill.id} is called ${name} here` })
  return {
    skill: {
      name,
      description,
      ...(license === undefined ? {} : { license }),
      ...(compatibility === undefined ? {} : { compatibility }),
      metadata: Object.fromEntries(
        own.flatMap(([key, value]) =>
          ['string', 'number', 'boolean'].includes(typeof value) ? [[key, String(value)]] : [],
        ),
      ),
      allowedTools,
      extraFields: {
        ...Object.fromEntries(Object.entries(fields).filter(([key]) => !KNOWN.has(key))),
        // However it was spelled.
        ...(skill.disableModelInvocation ? { 'disable-model-invocation': true } : {}),
      },
      body: skill.instructions,
    },
    resources: skill.files.map(infoOf),
    ...(diagnostics.length > 0 ? { warnings: diagnostics.map(parseError) } : {}),
  }
}

function infoOf({ path, kind, mediaType, size }: SkillFileInfo): AgentsResourceInfo {
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

/** One safe segment of a path that no other skill has. */
function nameFor(id: SkillId, name: string, used: ReadonlyMap<string, SkillId>): string {
  const safe = (text: string): string =>
    text
      .replace(/[/\\\p{Cc}]+/gu, '-')
      .trim()
      .replace(/^\.{1,2}$/, '-') || 'skill'
  if (!used.has(safe(name))) return safe(name)
  let given = safe(id)
  for (let number = 2; used.has(given); number++) given = `${safe(id)}~${number}`
  return given
}

/** An error as theirs: told apart by its tag, not by its class. */
function tagged(tag: string, message: string, more: object, cause?: unknown): Error {
  return Object.assign(new Error(message, { cause }), { name: tag, _tag: tag, ...more })
}

function failure(tag: string, message: string, more: object, cause: unknown): { ok: false; error: Error } {
  return { ok: false, error: tagged(tag, message, more, cause) }
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
  return tagged('SkillParseError', message, { code: ruleOf(code) })
}

/** Which rule of the specification a diagnostic is about, in their words. */
function ruleOf(code: Diagnostic['code']): string {
  if (code === 'name-not-folder') return 'name-mismatch'
  if (code === 'allowed-tools-form') return 'invalid-allowed-tools'
  if (code === 'metadata-not-strings') return 'invalid-metadata'
  if (/frontmatter|^empty-file$/.test(code)) return 'missing-frontmatter'
  const [rule] = /^(?:name|description|compatibility|yaml)(?=-)/.exec(code) ?? []
  return `invalid-${rule ?? 'frontmatter'}`
}
