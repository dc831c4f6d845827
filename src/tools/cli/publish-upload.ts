import type { SkillshelfError } from '../../core/errors.js'
import { isRefusal, type PublishClient } from '../../server/client/publish.js'
import type { Diagnostic } from '../../skill/diagnostics.js'
import { inFolders, type LocalSkill } from './publish-local.js'
import { batchesOf, type PublishPlan } from './publish-plan.js'

/** Progress of an upload. */
export interface UploadResult {
  /** Number of skills that the server stored. */
  taken: number
  /** Skills that the server refused. */
  refused: { skill: LocalSkill; error: SkillshelfError }[]
  removed: number
  /** Diagnostics of the server. */
  diagnostics: Diagnostic[]
}

export interface UploadOptions {
  /** Uploads the only skill to its folder, instead of a batch of folders. */
  alone: boolean
  prune: boolean
  onProgress: (label: string, done: number, total: number) => void
}

/** Whether a local skill is missing on the server. Then nothing is removed: that skill may be stored there under another name. */
export function isIncomplete({ partial }: PublishPlan, { refused }: UploadResult): boolean {
  return partial.length + refused.length > 0
}

/**
 * Executes a plan. Uploads come before removals, so a skill that moved is always available.
 * @param result Updated after each step, so it is valid after an error too.
 */
export async function upload(
  client: PublishClient,
  plan: PublishPlan,
  { alone, prune, onProgress }: UploadOptions,
  result: UploadResult,
): Promise<void> {
  const { put, replace, gone } = plan
  const total = put.length + replace.length
  const uploadBatch = async (batch: readonly LocalSkill[]): Promise<void> => {
    const [first] = batch as readonly [LocalSkill]
    try {
      const diagnostics = await (alone ? client.put(first.files, first.folder) : client.put(inFolders(batch)))
      result.diagnostics.push(...diagnostics)
      result.taken += batch.length
    } catch (error) {
      if (!isRefusal(error)) throw error
      // The server does not say which skill of a batch it refused.
      if (batch.length === 1) result.refused.push({ skill: first, error })
      else for (const half of halves(batch)) await uploadBatch(half)
    }
    onProgress('sending', result.taken + result.refused.length, total)
  }
  const batches = batchesOf([...put, ...replace])
  if (batches.length > 0) onProgress('sending', 0, total)
  for (const batch of batches) await uploadBatch(batch)
  for (const folder of prune && !isIncomplete(plan, result) ? gone : []) {
    await client.remove(folder)
    onProgress('removing', ++result.removed, gone.length)
  }
}

function halves<T>(list: readonly T[]): [T[], T[]] {
  const middle = Math.ceil(list.length / 2)
  return [list.slice(0, middle), list.slice(middle)]
}
