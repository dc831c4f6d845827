import { invalidInput, type SkillshelfError } from '../../core/errors.js'
import { batchesOf } from '../../library/store/write/batches.js'
import { type PackedVectors, writePackedVectors } from '../../search/index/packed-vectors.js'
import {
  createPublishClient,
  isRefusal,
  type PublishClient,
  type ServerSkill,
} from '../../server/client/publish.js'
import type { Diagnostic } from '../../skill/diagnostics.js'
import type { Io, ProgressBar } from './io.js'
import { type LocalSkill, type LocalSkills, readFiles } from './publish-local.js'

/** Creates the client of a server that skills are written to. */
export function writeClient(io: Io, to: string, token?: string): PublishClient {
  return createPublishClient(to, writeToken(io, token), io.signal)
}

export function writeToken(io: Io, token = io.env?.['SKILLSHELF_TOKEN'] ?? ''): string {
  if (token.trim() === '') {
    throw invalidInput(
      'A write token is required',
      'set SKILLSHELF_TOKEN to the write token of the server',
    )
  }
  return token.trim()
}

/** Changes that make the store of a server equal to a folder. */
export interface UploadPlan {
  /** Skills that the server lacks. */
  put: readonly LocalSkill[]
  /** Skills that the server has in another version. */
  replace: readonly LocalSkill[]
  /** Number of unchanged skills. */
  same: number
  /** Local folders with an unreadable file. They are not uploaded, and their stored version is kept. */
  partial: readonly string[]
  /** Stored folders that the local folder lacks. */
  gone: readonly string[]
  /** Stored folders that exist locally but cannot be read. They are kept. */
  hidden: readonly string[]
  /** Whether the server has a skill outside of any folder, which the API cannot remove. */
  atRoot: boolean
}

/** Limits of one upload. */
const MAX_BATCH = { items: 32, bytes: 4 * 1_048_576 }

/**
 * Compares a folder with a store. It keeps no other state, so an interrupted upload resumes when it is run again.
 * @param space The transformer whose vectors skills should have. Default: any or none.
 */
export function planUpload(
  { skills, isPartial, isHidden }: LocalSkills,
  stored: readonly ServerSkill[],
  space?: string,
): UploadPlan {
  const storedByFolder = new Map(stored.map(skill => [skill.folder, skill]))
  const local = new Set(skills.map(({ folder }) => folder))
  const isSame = ({ folder, digest, details }: LocalSkill): boolean => {
    const known = storedByFolder.get(folder)
    const hasVectors = space === undefined || known?.vectors === space
    return hasVectors && known?.digest === digest && known.details === details
  }
  const whole = skills.filter(({ folder }) => !isPartial(folder))
  const changed = whole.filter(skill => !isSame(skill))
  const others = [...storedByFolder.keys()]
    .filter(folder => folder !== '' && !local.has(folder))
    .sort()
  return {
    put: changed.filter(({ folder }) => !storedByFolder.has(folder)),
    replace: changed.filter(({ folder }) => storedByFolder.has(folder)),
    same: whole.length - changed.length,
    partial: [...local].filter(isPartial),
    gone: others.filter(folder => !isHidden(folder)),
    hidden: others.filter(isHidden),
    atRoot: storedByFolder.has(''),
  }
}

export interface UploadResult {
  /** Number of skills that the server stored. */
  taken: number
  /** Skills that the server refused. */
  refused: { skill: LocalSkill; error: SkillshelfError }[]
  removed: number
  diagnostics: Diagnostic[]
}

/** Whether a local skill is missing on the server. Then nothing is removed: that skill may be stored there under another name. */
export function isIncomplete({ partial }: UploadPlan, { refused }: UploadResult): boolean {
  return partial.length + refused.length > 0
}

interface UploadOptions {
  /** The folder itself is the only skill. */
  alone: boolean
  /** Paths that look like secrets and are meant. */
  allow?: readonly string[] | undefined
  prune: boolean
  /** Vectors of all skills. */
  vectors?: UploadVectors | undefined
  signal: AbortSignal | undefined
  onProgress: ProgressBar['update']
}

/** Whether an allowed path is in the folder of a skill, or contains it. */
function concerns(path: string, { folder }: LocalSkill): boolean {
  return `${path}/`.startsWith(`${folder}/`) || `${folder}/`.startsWith(`${path}/`)
}

/** Vectors of local skills, in the order of these. */
export interface UploadVectors {
  skills: readonly LocalSkill[]
  packed: PackedVectors
}

function writeBatch({ skills, packed }: UploadVectors, batch: readonly LocalSkill[]): Uint8Array {
  return writePackedVectors({
    ...packed,
    skills: batch.map(skill => packed.skills[skills.indexOf(skill)]),
  })
}

/**
 * Executes a plan: uploads, then removals, so that a moved skill is always available. `alone`: uploads the only skill to its folder, instead
 * of a batch of folders. `result` is valid after an error too.
 */
export async function upload(
  client: PublishClient,
  plan: UploadPlan,
  { alone, allow = [], prune, vectors, signal, onProgress }: UploadOptions,
  result: UploadResult,
): Promise<void> {
  const { put, replace, gone } = plan
  const total = put.length + replace.length
  const uploadBatch = async (batch: readonly LocalSkill[]): Promise<void> => {
    const [first] = batch
    if (!first) return
    try {
      // Vectors lie beside the folders of skills.
      const isFlat = alone && !vectors
      const files = await readFiles(batch, { inFolder: !isFlat, signal })
      const diagnostics = await (isFlat
        ? client.put(files, { folder: first.folder, allow })
        : client.put(files, {
            allow: allow.filter(path => batch.some(skill => concerns(path, skill))),
            vectors: vectors && writeBatch(vectors, batch),
          }))
      result.diagnostics.push(...diagnostics)
      result.taken += batch.length
    } catch (error) {
      if (!isRefusal(error)) throw error
      // The server does not say which skill of a batch it refused.
      if (batch.length === 1) result.refused.push({ skill: first, error })
      else {
        const middle = Math.ceil(batch.length / 2)
        await uploadBatch(batch.slice(0, middle))
        await uploadBatch(batch.slice(middle))
      }
    }
    onProgress('sending', result.taken + result.refused.length, total)
  }
  const batches = batchesOf([...put, ...replace], ({ size }) => size, MAX_BATCH)
  if (batches.length > 0) onProgress('sending', 0, total)
  for (const batch of batches) await uploadBatch(batch)
  for (const folder of prune && !isIncomplete(plan, result) ? gone : []) {
    await client.remove(folder)
    onProgress('removing', ++result.removed, gone.length)
  }
}
