import type { SkillLibrary } from '../../library/api/skill-library.js'
import type { Skill, SkillFile, SkillId } from '../../skill/skill.js'

/** Who requests a skill or file: the model by a tool, a person by a command, or the code of the host. */
export type Requester = 'model' | 'user' | 'host'

/** A skill that is open in a session. */
export interface OpenSkill {
  skill: Skill
  /** Tokens of the instructions, with the lists of files that the dialect adds. */
  tokens: number
  references: readonly { path: string; tokens: number; text: string }[]
}

/** Open skills of which a section shows the instructions, and those of which it shows the references. */
export interface ShownParts {
  skills: readonly OpenSkill[]
  references: readonly OpenSkill[]
}

/** Result of `Session.load`. */
export interface LoadResult {
  skill: Skill
  /** `already-loaded`: the skill is open and unchanged, and the model can see its instructions. */
  status: 'loaded' | 'already-loaded'
  /** Tokens of the instructions, with the lists of files that the dialect adds. */
  tokens: number
  /** Skills that were unloaded to make room. */
  unloaded: readonly SkillId[]
  /** Skills that were opened before it, because it or one of them requires them. Absent: none. They close with it. */
  required?: readonly Skill[]
  /** Names of skills that it requires and that are not in the library, are refused, or do not fit. Absent: none. */
  missing?: readonly string[]
}

/** Result of `Session.loadReference`. `status` and `tokens` are those of the reference. */
export interface LoadReferenceResult extends LoadResult {
  file: SkillFile
}

/** A session as JSON: ids and digests of the open skills, without their text. */
export interface SessionState {
  format: 'skillshelf-session/1'
  open: readonly { id: SkillId; digest: string; references: readonly string[] }[]
}

/** An open skill and what the session knows about it. */
export interface OpenRecord {
  entry: OpenSkill
  /** Who opened it. */
  by: Requester
  /** `model`: in the conversation, or given since `observe`. `host`: the host has them. `undefined`: the conversation lacks them. */
  heldBy: 'model' | 'host' | undefined
  /** Whether the library listed it when it was opened. Skills that are not listed, such as shadowed ones, are opened by id. */
  isListed: boolean
  /** The skills that it was opened for. `undefined`: it was opened for itself. */
  requiredBy?: readonly SkillId[] | undefined
}

/** The open skills, in the order in which they were opened. Those that the library no longer lists are closed before each access. */
export interface OpenSkills {
  records(): OpenRecord[]
  entries(): OpenSkill[]
  get(id: SkillId): OpenRecord | undefined
  /** Opens a skill, after the others. */
  set(record: Omit<OpenRecord, 'isListed'>): void
  /** Replaces the entry of an open skill, and keeps its place. */
  replace(entry: OpenSkill): void
  close(id: SkillId): OpenRecord | undefined
  /** Closes the skills that were opened for a skill only, and those that were opened for these. */
  closeRequired(id: SkillId): OpenSkill[]
  /** Closes a skill because of the library, and keeps it for `takeGone`. */
  closeGone(id: SkillId): void
  /** Returns the skills that were closed because of the library since the last call. */
  takeGone(): OpenRecord[]
}

export function createOpenSkills(library: SkillLibrary): OpenSkills {
  const open = new Map<SkillId, OpenRecord>()
  const gone: OpenRecord[] = []
  let compared = library.snapshot
  const close = (id: SkillId): OpenRecord | undefined => {
    const record = open.get(id)
    open.delete(id)
    return record
  }
  const closeGone = (id: SkillId): void => {
    const record = close(id)
    if (record) gone.push(record)
  }
  const compare = (): void => {
    const { snapshot } = library
    if (open.size === 0 || snapshot === compared) return
    compared = snapshot
    const ids = new Set(snapshot.skills.map(({ id }) => id))
    for (const [id, { isListed }] of [...open]) {
      if (isListed && !ids.has(id)) closeGone(id)
    }
  }
  const records = (): OpenRecord[] => {
    compare()
    return [...open.values()]
  }
  const closeRequired = (id: SkillId): OpenSkill[] =>
    records().flatMap(record => {
      const others = record.requiredBy?.filter(one => one !== id)
      if (others === undefined || others.length === record.requiredBy?.length) return []
      record.requiredBy = others
      const { entry } = record
      if (others.length > 0 || !close(entry.skill.id)) return []
      return [entry, ...closeRequired(entry.skill.id)]
    })
  return {
    records,
    entries: () => records().map(({ entry }) => entry),
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
    close,
    closeRequired,
    closeGone,
    takeGone() {
      compare()
      return gone.splice(0)
    },
  }
}
