import {
  estimateTokens,
  type Skill,
  type SkillFile,
  type SkillId,
  type SkillSummary,
} from 'skillshelf'
import { nameOf } from '../names.js'

/** The tokens that the skill opened last, and its files that were read, take in a model's context. */
export interface ContextUsage {
  readonly skill: { id: SkillId; name: string; tokens: number } | undefined
  readonly files: ReadonlyMap<string, number>
  openSkill(skill: Skill): void
  readFile(file: SkillFile): void
  /** Tokens of all names and descriptions, the open skill, and its files. */
  tokens(skills: readonly SkillSummary[]): number
  onChange(listener: () => void, signal: AbortSignal): void
  clear(): void
}

export function createContextUsage(): ContextUsage {
  const events = new EventTarget()
  const files = new Map<string, number>()
  let skill: ContextUsage['skill']
  const notify = (): void => void events.dispatchEvent(new Event('change'))
  return {
    get skill() {
      return skill
    },
    files,
    openSkill(opened) {
      const { id, tokens } = opened
      if (skill?.id !== id) files.clear()
      skill = { id, name: nameOf(opened), tokens: tokens.instructions }
      notify()
    },
    readFile(file) {
      if (file.skill !== skill?.id || file.text === undefined) return
      files.set(file.path, estimateTokens(file.text))
      notify()
    },
    tokens(skills) {
      const read = [...files.values()].reduce((sum, tokens) => sum + tokens, 0)
      return metadataTokens(skills) + (skill?.tokens ?? 0) + read
    },
    onChange: (listener, signal) => events.addEventListener('change', listener, { signal }),
    clear() {
      skill = undefined
      files.clear()
    },
  }
}

export function metadataTokens(skills: readonly SkillSummary[]): number {
  return skills.reduce((sum, { tokens }) => sum + tokens.metadata, 0)
}

/** Tokens of a prompt that inlines the metadata and instructions of every skill. */
export function inlinedTokens(skills: readonly SkillSummary[]): number {
  return skills.reduce((sum, { tokens }) => sum + tokens.metadata + tokens.instructions, 0)
}

/** The share of `all` that is saved, from 0 to 1. */
export function savedShare(now: number, all: number): number {
  return all > now ? 1 - now / all : 0
}
