import type { LibraryOptions } from '../src/library/api/options.js'
import type { LocalLibrary } from '../src/library/api/skill-library.js'
import { openLibrary } from '../src/library/open-library.js'
import type { PackOptions } from '../src/library/store/pack/pack-options.js'
import { memory } from '../src/source/memory.js'
import type { SkillSource } from '../src/source/source.js'
import { type Files, packFiles } from './packed-files.js'
import { toy } from './toy-model.js'

const ACTIONS = 'checks converts merges sorts prints translates'
const THINGS = 'invoices slides recipes contracts letters playlists logos tickets'
const PLACES = 'berlin kitchen garden office harbour library'

/** A made-up library: each action with each thing in each place. */
export function manySkills(): Record<string, string> {
  const files: Record<string, string> = {}
  for (const place of PLACES.split(' ')) {
    for (const action of ACTIONS.split(' ')) {
      for (const thing of THINGS.split(' ')) {
        const name = `${action}-${thing}-${place}`
        const fields = `name: ${name}\ndescription: ${action} ${thing} of the ${place}.\ntags: [${place}]`
        files[`${name}/SKILL.md`] =
          `---\n${fields}\n---\nFirst ${action} the ${thing}, then report.\n`
      }
    }
  }
  return files
}

/** Messages, each with the skill that serves it. */
export const MESSAGES = [
  ['merge the invoices of the harbour', 'merges-invoices-harbour'],
  ['sort playlists in the garden', 'sorts-playlists-garden'],
  ['translate letters for the office', 'translates-letters-office'],
  ['print slides in the kitchen', 'prints-slides-kitchen'],
] as const

export type PackedFiles = Record<string, Uint8Array<ArrayBuffer>>

export const packMany = (options: PackOptions = {}, skills = manySkills()): Promise<PackedFiles> =>
  packFiles(skills, 'many', { embedder: toy(), pieces: true, ...options })

/** Packs skills into pieces, once for the same object: suites open one world in every case. */
export function packedOnce(name?: string): (skills: Files) => Promise<PackedFiles> {
  const packed = new Map<Files, Promise<PackedFiles>>()
  return skills => {
    const files = packed.get(skills) ?? packFiles(skills, name, { pieces: true })
    packed.set(skills, files)
    return files
  }
}

/** Opens a library that must not fall back to its whole index. */
export async function openInPieces(input: SkillSource | string): Promise<LocalLibrary> {
  const library = await openLibrary(input)
  if (!library.page) throw new Error('The library was read whole')
  return library
}

/** A source over packed files that a test changes or switches off, and the files that were read. */
export function watchedFiles(files: PackedFiles) {
  const state = { files, isDown: false, reads: [] as string[] }
  const source: SkillSource = {
    name: 'many',
    read: async (path, options) => {
      state.reads.push(path)
      if (state.isDown) throw new Error('The network is down')
      return memory(state.files, { name: 'many' }).read(path, options)
    },
  }
  return Object.assign(state, { source })
}

export const openMany = (
  source: SkillSource,
  options: LibraryOptions = {},
): Promise<LocalLibrary> =>
  openLibrary(source, { embedder: toy(), onDiagnostic: () => {}, ...options })

/** The name of the first skill that is found. */
export const bestOf = async (library: LocalLibrary, message: string): Promise<string | undefined> =>
  (await library.search(message)).matches[0]?.name

export const isPiece = (path: string): boolean => path.endsWith('.piece')
