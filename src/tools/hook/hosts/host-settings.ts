/** Reads the settings of hosts: JSON with comments, and TOML. */
import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { isAbsolute, join, relative, resolve } from 'node:path'
import {
  type ParseError,
  parse as parseJsonc,
  printParseErrorCode,
  stripComments,
} from 'jsonc-parser'
import { parse as parseTomlText } from 'smol-toml'
import { errorMessage, invalidInput, SkillshelfError } from '../../../core/errors.js'
import { isRecord } from '../../../core/plain-data.js'
import { readRegularFile } from '../../../source/directory/regular-file.js'
import { isInside } from '../../../source/directory/watch.js'
import { attempt } from '../attempt.js'
import type { SkillRoot } from './host.js'

/** Bytes of settings that are read. */
const MAX_BYTES = 4 * 1_048_576
/** Bytes of settings of a project: they can be of anybody, and each rule in them takes time. */
const MAX_PROJECT_BYTES = 262_144

export type Settings = Readonly<Record<string, unknown>>

/** Settings in JSON, also with comments, trailing commas, a byte order mark, or nothing. A file that is missing has none. @throws if they are damaged */
export function readJsonSettings(file: string): Settings {
  return readSettings(file, parseJson)
}

/** Settings in JSON that belong to a project. @throws if they are damaged, or large */
export function readProjectSettings(file: string): Settings {
  return readSettings(file, parseJson, MAX_PROJECT_BYTES)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const errors: ParseError[] = []
    const value: unknown = parseJsonc(text, errors, { allowTrailingComma: true })
    // Comments alone are no value, which is an error.
    const isEmpty = stripComments(text).trim() === ''
    const problems = errors.filter(
      ({ error }) => !isEmpty || printParseErrorCode(error) !== 'ValueExpected',
    )
    if (problems.length > 0) throw new Error('the JSON is not valid')
    return value ?? {}
  }
}

/** Settings in TOML. A file that is missing has none. @throws if they are damaged */
export function readTomlSettings(file: string): Settings {
  return readSettings(file, parseTomlText)
}

function readSettings(file: string, parse: (text: string) => unknown, limit = MAX_BYTES): Settings {
  if (!existsSync(file)) return {}
  try {
    const bytes = readRegularFile(realpathSync.native(file), { limit })
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    const value = text.trim() === '' ? {} : parse(text)
    if (!isRecord(value)) throw new Error('there is no object')
    return value
  } catch (error) {
    throw new SkillshelfError(
      'source-failed',
      `Settings ${file} cannot be read: ${errorMessage(error)}`,
      {
        subject: file,
        hint: 'mend them: no skill is offered until they say which are switched off',
      },
    )
  }
}

/** A part of settings. None if it is missing. @throws if it is there and has another form: what it switches off is not known */
export function partOf(settings: Settings, ...keys: readonly string[]): Settings {
  let part: unknown = settings
  for (const key of keys) part = isRecord(part) ? part[key] : undefined
  if (part === undefined || part === null) return {}
  if (!isRecord(part)) {
    throw invalidInput(`"${keys.join('.')}" in settings is not an object`, 'mend the settings')
  }
  return part
}

/** The texts of a list. One text is a list too. */
export function textsOf(value: unknown): string[] {
  const all: unknown[] = Array.isArray(value) ? value : [value]
  return all.filter(one => typeof one === 'string')
}

/** What `read` gives, or `otherwise` and a sentence on what could not be read. */
export function readOrReport<Value>(
  problems: string[],
  read: () => Value,
  otherwise: Value,
): Value {
  try {
    return read()
  } catch (error) {
    problems.push(errorMessage(error))
    return otherwise
  }
}

/** The names in a folder. None if it cannot be listed. */
export function namesIn(folder: string): string[] {
  return attempt(() => readdirSync(folder), []).sort()
}

/** The names of the folders in a folder. */
export function foldersIn(folder: string): string[] {
  const entries = attempt(() => readdirSync(folder, { withFileTypes: true }), [])
  return entries.filter(entry => entry.isDirectory()).map(({ name }) => name)
}

/** A path without links, or as it is if nothing is there. */
export function realPathOf(path: string): string {
  return attempt(() => realpathSync.native(path), path)
}

/** Whether two paths lead to the same place. */
export function isSamePath(a: string, b: string): boolean {
  return a === b || realPathOf(a) === realPathOf(b)
}

/** Where a plugin has its skills. */
export interface PluginParts {
  /** Its folder. */
  of: string
  /** Stands before the names of its skills. */
  name: string
  /** Folders of skills, relative to its own. */
  paths: readonly string[]
}

/**
 * The folders of skills of a plugin: `skills`, and those that its manifest and its marketplace name. A path that leaves the plugin is not
 * read.
 */
export function pluginRoots({ of, name, paths: named }: PluginParts): SkillRoot[] {
  const paths = named
    .filter(path => !isAbsolute(path))
    .map(path => resolve(of, path))
    .filter(path => path === of || isInside(path, of))
  return [...new Set(paths)].map(path => ({
    path,
    owner: 'plugin',
    of,
    prefix: name,
    ...(relative(of, path) === 'skills' ? {} : { isSkill: true }),
    // The plugin itself has more than skills.
    ...(path === of ? { levels: 1 } : {}),
  }))
}

/** A path in settings: `~` stands for the home folder. */
export function expandHome(path: string, home: string): string {
  return path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path
}
