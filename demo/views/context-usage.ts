import {
  estimateTokens,
  type Skill,
  type SkillFile,
  type SkillId,
  type SkillSummary,
} from 'skillshelf'
import type { Session } from 'skillshelf/session'
import type { Costs } from '../cost-bars.js'
import { nameOf } from '../names.js'

/** The tokens that the skill opened last, and its files that were read, take in a model's context. */
export interface ContextUsage {
  readonly skill: { id: SkillId; name: string; tokens: number } | undefined
  readonly files: ReadonlyMap<string, number>
  openSkill(skill: Skill): void
  readFile(file: SkillFile): void
  /** Tokens of the open skill and its files, by three ways. */
  costs(skills: readonly SkillSummary[]): Costs
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
    costs(skills) {
      const read = [...files.values()].reduce((sum, tokens) => sum + tokens, 0)
      return contextCosts(skills, {
        named: metadataTokens(skills.filter(({ id }) => id === skill?.id)),
        read: (skill?.tokens ?? 0) + read,
      })
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

/** Tokens of the names and descriptions that the prompt of a session lacks. */
export function unlistedTokens({ library, ledger }: Session): number {
  return Math.max(0, metadataTokens(library.snapshot.skills) - ledger().metadata.tokens)
}

/**
 * The tokens of three ways to give skills to a model.
 * @param options.named Tokens of the names and descriptions that skillshelf gives.
 * @param options.read Tokens of instructions and files that the model reads whether skills are listed or found.
 */
export function contextCosts(
  skills: readonly SkillSummary[],
  { named, read }: { named: number; read: number },
): Costs {
  return {
    listed: metadataTokens(skills) + read,
    skillshelf: named + read,
    inlined: inlinedTokens(skills),
  }
}
