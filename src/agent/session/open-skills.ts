import type { SkillLibrary } from '../../library/types.js'
import type { SkillId } from '../../skill/types.js'
import type { OpenSkill, Requester } from './types.js'

/** An open skill and what the session knows about it. */
export interface OpenRecord {
  entry: OpenSkill
  /** Who opened it. */
  by: Requester
  /**
   * Who has its instructions. `model`: they are in the conversation, or were given to the model since the last `observe`.
   * `host`: they were returned to the host. `undefined`: the conversation lacks them.
   */
  heldBy: 'model' | 'host' | undefined
  /** Whether the library listed it when it was opened. Skills that are not listed, such as shadowed ones, are opened by id. */
  isListed: boolean
}

/** The open skills of a session, in the order in which they were opened. */
export interface OpenSkills {
  records(): OpenRecord[]
  get(id: SkillId): OpenRecord | undefined
  set(record: Omit<OpenRecord, 'isListed'>): void
  /** Replaces the entry of an open skill, and keeps its place. */
  replace(entry: OpenSkill): void
  close(id: SkillId): OpenRecord | undefined
  /** Closes a skill because of the library, and keeps it for `takeGone`. */
  closeGone(id: SkillId): void
  /** Returns the skills that were closed because of the library since the last call. */
  takeGone(): OpenRecord[]
}

/** Creates the list of open skills. Skills that the library no longer lists are closed before each access. */
export function createOpenSkills(library: SkillLibrary): OpenSkills {
  const open = new Map<SkillId, OpenRecord>()
  let gone: OpenRecord[] = []
  let compared = library.snapshot
  const closeGone = (id: SkillId): void => {
    const record = open.get(id)
    open.delete(id)
    if (record) gone.push(record)
  }
  const compare = (): void => {
    const { snapshot } = library
    if (open.size === 0 || snapshot === compared) return
    compared = snapshot
    const ids = new Set(snapshot.skills.map(({ id }) => id))
    for (const [id, { isListed }] of [...open]) if (isListed && !ids.has(id)) closeGone(id)
  }
  return {
    records() {
      compare()
      return [...open.values()]
    },
    get(id) {
      compare()
      return open.get(id)
    },
    set(record) {
      const { id } = record.entry.skill
      const isListed = library.snapshot.skills.some(skill => skill.id === id)
      open.set(id, { ...record, isListed })
    },
    replace(entry) {
      const record = open.get(entry.skill.id)
      if (record) record.entry = entry
    },
    close(id) {
      const record = open.get(id)
      open.delete(id)
      return record
    },
    closeGone,
    takeGone() {
      compare()
      const taken = gone
      gone = []
      return taken
    },
  }
}
