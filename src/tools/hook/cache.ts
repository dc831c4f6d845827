import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { digestOf, shortDigest } from '../../core/digest.js'
import { ANALYZER } from '../../core/text/analyze.js'
import { VERSION } from '../../core/version.js'
import type { LocalLibrary } from '../../library/api/skill-library.js'
import { openLibrary } from '../../library/open-library.js'
import { DIGESTS } from '../../search/model/bundled/digests.js'
import type { Part } from '../../search/model/script-parts.js'
import type { SkillModel } from '../../search/model/skill-model.js'
import { neededParts, openStaticModel, type StaticModelFiles } from '../../search/model/static-model.js'
import { CATALOG_FILE } from '../../source/catalog-file.js'
import { attempt } from './attempt.js'

/** Skills beyond these, and folders below this depth, are not read. */
const MAX_SKILLS = 5_000
const MAX_DEPTH = 4
export const STATE_FILE = 'state.json'

export interface CachedSkill {
  /** Its SKILL.md. */
  path: string
  /** The start of its description, on one line. */
  line: string
  /** Set if only people may open it. */
  manual?: true
}

/** What a cache folder holds, in `state.json`. The other files are written before it, and are named by their content. */
export interface CacheState {
  /** Changes with any SKILL.md, its messages, and the version of skillshelf. Not hashed, which would take longer than comparing it. */
  fingerprint: string
  /** File with the packed catalog. */
  catalog: string
  /** Whether a skill has `paths`. */
  hasPaths: boolean
  /** By id. */
  skills: Readonly<Record<string, CachedSkill>>
}

export type Scan = ReturnType<typeof scanFolders>

/** The skills in folders, and a fingerprint of their files. */
export function scanFolders(roots: readonly string[]) {
  /** The SKILL.md of each skill, by its path in the cache: number of the folder, then its path there. */
  const files = new Map<string, string>()
  const lines = [`${VERSION} ${ANALYZER} ${DIGESTS.latin}`]
  const visit = (folder: string, path: string, depth: number): void => {
    for (const entry of attempt(() => readdirSync(folder, { withFileTypes: true }), [])) {
      const { name } = entry
      if (name.startsWith('.') || name === 'node_modules' || files.size >= MAX_SKILLS) continue
      const isLink = entry.isSymbolicLink()
      if (!isLink && !entry.isDirectory()) continue
      const skill = `${folder}/${name}`
      const file = `${skill}/SKILL.md`
      const stats = statSync(file, { throwIfNoEntry: false })
      if (stats?.isFile()) {
        // Most skills have none, and this is faster than a stat that fails.
        const messages = existsSync(`${skill}/messages.txt`) ? statSync(`${skill}/messages.txt`) : undefined
        files.set(`${path}/${name}`, file)
        lines.push(`${path}/${name}\t${stats.mtimeMs}\t${stats.size}\t${messages?.mtimeMs ?? ''}`)
      } else if (!isLink && depth < MAX_DEPTH) visit(skill, `${path}/${name}`, depth + 1)
    }
  }
  for (const [number, root] of roots.entries()) visit(root, String(number), 1)
  return { files, fingerprint: lines.join('\n') }
}

/** The cache folder of some folders of skills. */
export function cacheFolder(cache: string, roots: readonly string[]): string {
  return join(cache, shortDigest(digestOf(roots.join('\n'))))
}

/** @returns `undefined` if there is none */
export function readState(folder: string): CacheState | undefined {
  return attempt(() => JSON.parse(readFileSync(join(folder, STATE_FILE), 'utf8')) as CacheState, undefined)
}

/** Opens a cache for one message. Its files were checked when they were written, so nothing is hashed again. @throws if it is damaged */
export function openCache(folder: string, { catalog }: CacheState, message: string): Promise<LocalLibrary> {
  const source = {
    name: 'skills',
    async read(path: string) {
      const file = path === CATALOG_FILE ? catalog : path
      const content = readFileSync(join(folder, file))
      const bytes = new Uint8Array(content.buffer, content.byteOffset, content.length)
      return { bytes, digest: `sha256:${file.slice(0, 16).padEnd(64, '0')}` }
    },
  }
  return openLibrary(source, { embedder: openModel(message), strict: true })
}

/** The bundled model with the parts that a message needs. */
function openModel(message: string): SkillModel {
  const read = (part: Part): Uint8Array => readFileSync(new URL(`../../../model/${part}.bin`, import.meta.url))
  const parts = new Set<Part>(['latin', ...neededParts(message)])
  return openStaticModel(Object.fromEntries([...parts].map(part => [part, read(part)])) as unknown as StaticModelFiles)
}
