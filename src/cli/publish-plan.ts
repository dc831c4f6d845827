import type { StoredSkill } from '../client/publish.js'
import type { LocalSkill, LocalSkills } from './publish-local.js'

/** What brings a shelf to where a folder is. */
export interface PublishPlan {
  /** Not there yet. */
  put: readonly LocalSkill[]
  /** There, but not like this. */
  replace: readonly LocalSkill[]
  /** How many are there as they are. */
  same: number
  /** Folders that are here, but something in them cannot be read: they are not sent, and what is there of them stays. */
  partial: readonly string[]
  /** Folders that are there and not here. */
  gone: readonly string[]
  /** Folders that are there, and here as well but cannot be read: they stay. */
  hidden: readonly string[]
  /** A skill is there that stands in no folder: it cannot be asked to go. */
  atRoot: boolean
}

/** What is sent at once, at most. A skill that is larger goes by itself. */
const MOST_BYTES = 4 * 1_048_576
const MOST_SKILLS = 32

/** Nothing but what is on both sides is looked at: a run that was cut is gone on with by another one. */
export function planPublish({ skills, isPartial, isHidden }: LocalSkills, stored: readonly StoredSkill[]): PublishPlan {
  const there = new Map(stored.map(skill => [skill.folder, skill]))
  const here = new Set(skills.map(({ folder }) => folder))
  const isSame = ({ folder, digest, details }: LocalSkill): boolean =>
    there.get(folder)?.digest === digest && there.get(folder)?.details === details
  const whole = skills.filter(({ folder }) => !isPartial(folder))
  const changed = whole.filter(skill => !isSame(skill))
  const others = [...there.keys()].filter(folder => folder !== '' && !here.has(folder)).sort()
  return {
    put: changed.filter(({ folder }) => !there.has(folder)),
    replace: changed.filter(({ folder }) => there.has(folder)),
    same: whole.length - changed.length,
    partial: [...here].filter(isPartial),
    gone: others.filter(folder => !isHidden(folder)),
    hidden: others.filter(isHidden),
    atRoot: there.has(''),
  }
}

/** Skills as they are sent: some at a time, in their order. */
export function batchesOf(skills: readonly LocalSkill[]): LocalSkill[][] {
  const batches: LocalSkill[][] = []
  let room = 0
  for (const skill of skills) {
    const last = batches.at(-1)
    if (last && last.length < MOST_SKILLS && skill.size <= room) last.push(skill)
    else {
      batches.push([skill])
      room = MOST_BYTES
    }
    room -= skill.size
  }
  return batches
}
