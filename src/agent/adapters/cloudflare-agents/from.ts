import { abortable } from '../../../core/abort.js'
import { fromBase64 } from '../../../core/base64.js'
import { digestOf, shortDigest } from '../../../core/digest.js'
import { asSkillshelfError, throwIfAborted } from '../../../core/errors.js'
import { joinPath, safePath, trySafePath } from '../../../core/paths.js'
import type { FileEntry, ListableSource } from '../../../source/source.js'

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

type File =
  | { bytes: Uint8Array<ArrayBuffer>; version: string }
  /** A resource, read on demand. */
  | { skill: string; path: string; size?: number }

interface Listing {
  files: ReadonlyMap<string, File>
  /** Skills that the agents source could not parse. */
  invalid: readonly FileEntry[]
  /** Absolute paths of skill folders, by folder. */
  locations: ReadonlyMap<string, string>
}

/**
 * Uses a source of cloudflare/agents (`r2`, `workspace` or `manifest` of `agents/skills`) as a `SkillSource`.
 *
 * Each skill becomes a folder. Its SKILL.md is rebuilt from the parsed fields. Methods throw `source-failed` if the agents source fails.
 *
 * @param agentsSource A source of `agents/skills`.
 * @param options `name`: name of the source, default its `id`.
 * @returns A read-only source.
 * @example
 * ```ts
 * import { r2 } from 'agents/skills'
 *
 * const library = await openLibrary(fromAgentsSource(r2(env.SKILLS)))
 * ```
 */
export function fromAgentsSource(
  agentsSource: AgentsSource,
  options: { name?: string | undefined } = {},
): ListableSource {
  const name = options.name ?? (agentsSource.id.replace(/(?<![:/])[:/]+$/, '') || 'agents')
  let listing: Listing | undefined

  /** The value of a result. `undefined` if the resource does not exist. `verb` completes "could not be ...". */
  const unwrap = async <T>(
    verb: string,
    subject: string,
    call: () => Promise<AgentsResult<T>>,
    signal: AbortSignal | undefined,
  ): Promise<T | undefined> => {
    throwIfAborted(signal)
    try {
      const result = await abortable(call(), signal)
      if (result.ok) return result.value
      if (errorTag(result.error) === 'SkillResourceNotFoundError') return undefined
      throw result.error
    } catch (error) {
      throwIfAborted(signal)
      throw asSkillshelfError(error, 'source-failed', `${subject} could not be ${verb}`, { subject })
    }
  }

  const loadListing = async (signal: AbortSignal | undefined): Promise<Listing> => {
    const { skills, invalid } = (await unwrap('listed', name, () => agentsSource.list(), signal)) ?? {
      skills: [],
      invalid: [],
    }
    const files = new Map<string, File>()
    const locations = new Map<string, string>()
    const folders = new Set<string>()
    for (const { skill, resources, location } of skills) {
      const folder = uniqueFolder(skill.name, folders)
      folders.add(folder)
      const bytes = new TextEncoder().encode(buildSkillFile(skill))
      files.set(`${folder}/SKILL.md`, { bytes, version: shortDigest(digestOf(bytes)) })
      for (const { path, size } of resources)
        files.set(`${folder}/${path}`, { skill: skill.name, path, ...(size === undefined ? {} : { size }) })
      if (location !== undefined) locations.set(folder, location)
    }
    listing = {
      files,
      locations,
      // A location that is not a valid path would be rejected, and its error lost.
      invalid: invalid.map(({ location, error }) => ({
        path: trySafePath(location) === location ? location : toSegment(location),
        unreadable: error.message,
      })),
    }
    return listing
  }

  return {
    name,
    root(path) {
      const [folder = '', ...rest] = path.split('/')
      const location = listing?.locations.get(folder)
      return location === undefined ? `skill://${joinPath(name, path)}` : [location, ...rest].join('/')
    },
    async list({ signal } = {}) {
      const { files, invalid } = await loadListing(signal)
      return [
        ...[...files].map(([path, file]): FileEntry => {
          if ('bytes' in file) return { path, size: file.bytes.length, version: file.version }
          return { path, ...(file.size === undefined ? {} : { size: file.size }) }
        }),
        ...invalid,
      ]
    },
    async read(path, { ifVersion, signal } = {}) {
      throwIfAborted(signal)
      const file = safePath(path)
      // Every file is in the folder of a skill, so a packed library at the root needs no listing.
      if (!file.includes('/')) return undefined
      const entry = (listing ?? (await loadListing(signal))).files.get(file)
      if (!entry) return undefined
      if ('bytes' in entry)
        return entry.version === ifVersion ? 'unchanged' : { bytes: entry.bytes.slice(), version: entry.version }
      const found = await unwrap('read', file, () => agentsSource.readResource(entry.skill, entry.path), signal)
      if (!found) return undefined
      const { content, encoding } = found
      try {
        return { bytes: encoding === 'base64' ? fromBase64(content) : new TextEncoder().encode(content) }
      } catch (error) {
        throw asSkillshelfError(error, 'source-failed', `${file} is not valid base64`, { subject: file })
      }
    },
  }
}

/** Builds a SKILL.md. Values are JSON, which is valid YAML. */
function buildSkillFile(skill: AgentsSkill): string {
  const { name, description, license, compatibility, metadata, allowedTools, extraFields, body } = skill
  const tools = allowedTools.some(tool => /\s/.test(tool)) ? allowedTools : allowedTools.join(' ')
  const fields: Record<string, unknown> = {
    ...extraFields,
    name,
    description,
    license,
    compatibility,
    metadata: Object.keys(metadata).length > 0 ? metadata : undefined,
    'allowed-tools': allowedTools.length > 0 ? tools : undefined,
  }
  const lines = Object.entries(fields).flatMap(([key, field]) => {
    const json = JSON.stringify(field) as string | undefined
    return json === undefined ? [] : [`${/^[\w-]+$/.test(key) ? key : JSON.stringify(key)}: ${json}`]
  })
  return ['---', ...lines, '---', body.startsWith('\n') ? body : `\n${body}`].join('\n')
}

/** A unique folder for a name. */
function uniqueFolder(name: string, used: ReadonlySet<string>): string {
  let folder = toSegment(name)
  for (let number = 2; used.has(folder); number++) folder = `${toSegment(name)}~${number}`
  return folder
}

/** Replaces characters that are invalid in a path, such as the colon of `plugin:skill`. */
function toSegment(name: string): string {
  return name.replace(/[:%/\\\p{C}]+/gu, '-')
}

function errorTag(error: Error): unknown {
  return '_tag' in error ? error._tag : undefined
}
