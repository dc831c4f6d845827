import type { SkillshelfError } from '../core/errors.js'
import type { Diagnostic } from '../skill/diagnostics.js'
import { inFolders, type LocalSkill } from './publish-local.js'
import { batchesOf, type Plan } from './publish-plan.js'
import { isRefusal, type RemoteShelf } from './publish-shelf.js'

/** What became of a plan so far. */
export interface Sent {
  /** Skills that the shelf took. */
  taken: number
  /** Skills that it would not have, and why. */
  refused: { skill: LocalSkill; error: SkillshelfError }[]
  removed: number
  /** What it said of them. */
  diagnostics: Diagnostic[]
}

export interface SendOptions {
  /** The only skill there is goes right into its folder. */
  alone: boolean
  prune: boolean
  onProgress: (label: string, done: number, total: number) => void
}

/** Whether something of a folder is not on the shelf: then nothing is removed, as it may be what was there under another name. */
export function isBehind({ partial }: Plan, { refused }: Sent): boolean {
  return partial.length + refused.length > 0
}

/**
 * Does what was planned. What is new comes before anything is removed, and all of it, so that a skill that moved is never away.
 * @param sent Kept up to date, also where it ends with an error.
 */
export async function send(
  shelf: RemoteShelf,
  plan: Plan,
  { alone, prune, onProgress }: SendOptions,
  sent: Sent,
): Promise<void> {
  const { put, replace, gone } = plan
  const total = put.length + replace.length
  const sendBatch = async (batch: readonly LocalSkill[]): Promise<void> => {
    const [first] = batch as readonly [LocalSkill]
    try {
      const told = await (alone ? shelf.put(first.files, first.folder) : shelf.put(inFolders(batch)))
      sent.diagnostics.push(...told)
      sent.taken += batch.length
    } catch (error) {
      if (!isRefusal(error)) throw error
      // Which of them it is the shelf does not say.
      if (batch.length === 1) sent.refused.push({ skill: first, error })
      else for (const half of halves(batch)) await sendBatch(half)
    }
    onProgress('sending', sent.taken + sent.refused.length, total)
  }
  const batches = batchesOf([...put, ...replace])
  if (batches.length > 0) onProgress('sending', 0, total)
  for (const batch of batches) await sendBatch(batch)
  for (const folder of prune && !isBehind(plan, sent) ? gone : []) {
    await shelf.remove(folder)
    onProgress('removing', ++sent.removed, gone.length)
  }
}

function halves<T>(list: readonly T[]): [T[], T[]] {
  const middle = Math.ceil(list.length / 2)
  return [list.slice(0, middle), list.slice(middle)]
}
