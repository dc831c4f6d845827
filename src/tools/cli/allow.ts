import { realpath } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import { Option } from 'commander'
import { invalidInput } from '../../core/errors.js'
import { collect } from './command.js'
import type { Io } from './io.js'
import { displayPath, fileInfo, isBelow } from './paths.js'

/** The option `--allow` of commands that publish. A new object for each: commander keeps values in it. */
export function allowOption(): Option {
  return new Option(
    '--allow <path>',
    'file or folder to publish although it looks like a secret (repeatable)',
  ).argParser(collect)
}

/** The option `--internal` of commands that publish. */
export function internalOption(): Option {
  return new Option('--internal', 'publish skills with `metadata.internal: true` too')
}

/**
 * Paths of `--allow` relative to the folder of skills. They are given relative to it, as messages print them, or to the current folder.
 * @throws SkillshelfError `invalid-input` for a path that is not in the folder
 */
export async function allowedInFolderOf(
  io: Io,
  folder: string,
  allow: readonly string[] | undefined,
): Promise<readonly string[] | undefined> {
  if (!allow) return undefined
  const roots = [folder, await realpath(folder)]
  return Promise.all(
    allow.map(async path => {
      for (const target of [resolve(folder, path), resolve(io.cwd, path)]) {
        const root = roots.find(one => isBelow(target, one))
        if (root !== undefined && (await fileInfo(target))) {
          return relative(root, target).split(sep).join('/')
        }
      }
      throw invalidInput(
        `\`--allow ${path}\` is not a file or folder in ${displayPath(io, folder)}`,
        `give its path in that folder, such as ${join('my-skill', '.env')}`,
      )
    }),
  )
}
