import type { ServerSkill } from '../../server/client/publish.js'
import type { LocalSkill, LocalSkills } from './publish-local.js'

/** Changes that make the store of a server equal to a folder. */
export interface PublishPlan {
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
  /** The server has a skill outside of any folder, which the API cannot remove. */
  atRoot: boolean
}

/** Limits of one upload. A larger skill is uploaded alone. */
const MAX_BATCH_BYTES = 4 * 1_048_576
const MAX_BATCH_SKILLS = 32

/** Compares a folder with a store. It keeps no other state, so an interrupted upload resumes when it is run again. */
export function planPublish({ skills, isPartial, isHidden }: LocalSkills, stored: readonly ServerSkill[]): PublishPlan {
  const storedByFolder = new Map(stored.map(skill => [skill.folder, skill]))
  const local = new Set(skills.map(({ folder }) => folder))
  const isSame = ({ folder, digest, details }: LocalSkill): boolean =>
    storedByFolder.get(folder)?.digest === digest && storedByFolder.get(folder)?.details === details
  const whole = skills.filter(({ folder }) => !isPartial(folder))
  const changed = whole.filter(skill => !isSame(skill))
  const others = [...storedByFolder.keys()].filter(folder => folder !== '' && !local.has(folder)).sort()
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

/** Splits skills into uploads, in order. */
export function batchesOf(skills: readonly LocalSkill[]): LocalSkill[][] {
  const batches: LocalSkill[][] = []
  let remaining = 0
  for (const skill of skills) {
    const last = batches.at(-1)
    if (last && last.length < MAX_BATCH_SKILLS && skill.size <= remaining) last.push(skill)
    else {
      batches.push([skill])
      remaining = MAX_BATCH_BYTES
    }
    remaining -= skill.size
  }
  return batches
}
