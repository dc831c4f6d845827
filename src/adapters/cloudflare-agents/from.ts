import { abortable } from '../../core/abort.js'
import { digestOf, shortDigest } from '../../core/digest.js'
import { asSkillshelfError, throwIfAborted } from '../../core/errors.js'
import { joinPath, safePath, trySafePath } from '../../core/paths.js'
import type { FileEntry, SkillSource } from '../../source/types.js'
import { fromBase64 } from './base64.js'
import type { AgentsResult, AgentsSkill, AgentsSource } from './types.js'

type File =
  | { bytes: Uint8Array<ArrayBuffer>; version: string }
  /** Read when it is asked for. */
  | { skill: string; path: string; size?: number }

interface Held {
  files: ReadonlyMap<string, File>
  /** Skills that were left out over there. */
  invalid: readonly FileEntry[]
  /** Absolute folders of skills, by folder. */
  locations: ReadonlyMap<string, string>
}

/**
 * A source of cloudflare/agents (`r2`, `workspace`, `manifest` of `agents/skills`) as a source of ours: a folder for each skill, its
 * SKILL.md written again from what was parsed over there. `name`: default their `id`.
 */
export function fromAgentsSource(theirs: AgentsSource, options: { name?: string | undefined } = {}): SkillSource {
  const name = options.name ?? (theirs.id.replace(/[:/]+$/, '') || 'agents')
  let held: Held | undefined

  const value = async <T>(
    what: string,
    subject: string,
    ask: () => Promise<AgentsResult<T>>,
    signal: AbortSignal | undefined,
  ): Promise<T | undefined> => {
    throwIfAborted(signal)
    try {
      const result = await abortable(ask(), signal)
      if (result.ok) return result.value
      if (tagOf(result.error) === 'SkillResourceNotFoundError') return undefined
      throw result.error
    } catch (error) {
      throwIfAborted(signal)
      throw asSkillshelfError(error, 'source-failed', `${subject} could not be ${what}`, { subject })
    }
  }

  const look = async (signal: AbortSignal | undefined): Promise<Held> => {
    const { skills, invalid } = (await value('listed', name, () => theirs.list(), signal)) ?? {
      skills: [],
      invalid: [],
    }
    const files = new Map<string, File>()
    const locations = new Map<string, string>()
    const folders = new Set<string>()
    for (const { skill, resources, location } of skills) {
      const folder = folderOf(skill.name, folders)
      folders.add(folder)
      const bytes = new TextEncoder().encode(skillFile(skill))
      files.set(`${folder}/SKILL.md`, { bytes, version: shortDigest(digestOf(bytes)) })
      for (const { path, size } of resources)
        files.set(`${folder}/${path}`, { skill: skill.name, path, ...(size === undefined ? {} : { size }) })
      if (location !== undefined) locations.set(folder, location)
    }
    held = {
      files,
      locations,
      // A place that is no path would be refused, and the reason lost.
      invalid: invalid.map(({ location, error }) => ({
        path: trySafePath(location) === location ? location : plain(location),
        unreadable: error.message,
      })),
    }
    return held
  }

  return {
    name,
    root(path) {
      const [folder = '', ...rest] = path.split('/')
      const location = held?.locations.get(folder)
      return location === undefined ? `skill://${joinPath(name, path)}` : [location, ...rest].join('/')
    },
    async list({ signal } = {}) {
      const { files, invalid } = await look(signal)
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
      const wanted = safePath(path)
      // All files stand in folders of skills: that there is no packed library needs no listing.
      if (!wanted.includes('/')) return undefined
      const file = (held ?? (await look(signal))).files.get(wanted)
      if (!file) return undefined
      if ('bytes' in file)
        return file.version === ifVersion ? 'unchanged' : { bytes: file.bytes.slice(), version: file.version }
      const found = await value('read', wanted, () => theirs.readResource(file.skill, file.path), signal)
      if (!found) return undefined
      const { content, encoding } = found
      try {
        return { bytes: encoding === 'base64' ? fromBase64(content) : new TextEncoder().encode(content) }
      } catch (error) {
        throw asSkillshelfError(error, 'source-failed', `${wanted} is no base64`, { subject: wanted })
      }
    },
  }
}

/** A SKILL.md with these fields: JSON is YAML. */
function skillFile(skill: AgentsSkill): string {
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

/** A folder for each name, once. */
function folderOf(name: string, used: ReadonlySet<string>): string {
  let folder = plain(name)
  for (let number = 2; used.has(folder); number++) folder = `${plain(name)}~${number}`
  return folder
}

/** Without what our paths refuse, such as the colon of `plugin:skill`. */
function plain(name: string): string {
  return name.replace(/[:%/\\\p{C}]+/gu, '-')
}

function tagOf(error: Error): unknown {
  return '_tag' in error ? error._tag : undefined
}
