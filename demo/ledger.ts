import { estimateTokens, type Skill, type SkillFile, type SkillId, type SkillSummary } from 'skillshelf'

/** What a model's context has paid by now: the skill that was opened last, and the files asked for of it. */
export interface Ledger {
  readonly skill: { id: SkillId; name: string; tokens: number } | undefined
  readonly files: ReadonlyMap<string, number>
  openSkill(skill: Skill): void
  readFile(file: SkillFile): void
  /** Names and descriptions, the opened skill, its files. */
  now(skills: readonly SkillSummary[]): number
  onChange(listener: () => void, signal: AbortSignal): void
  clear(): void
}

export function createLedger(): Ledger {
  const changes = new EventTarget()
  const files = new Map<string, number>()
  let skill: Ledger['skill']
  const tell = (): void => void changes.dispatchEvent(new Event('change'))
  return {
    get skill() {
      return skill
    },
    files,
    openSkill({ id, name, displayName, tokens }) {
      if (skill?.id !== id) files.clear()
      skill = { id, name: displayName ?? name, tokens: tokens.instructions }
      tell()
    },
    readFile(file) {
      if (file.skill !== skill?.id || file.text === undefined) return
      files.set(file.path, estimateTokens(file.text))
      tell()
    },
    now(skills) {
      const read = [...files.values()].reduce((sum, tokens) => sum + tokens, 0)
      return metadataTokens(skills) + (skill?.tokens ?? 0) + read
    },
    onChange: (listener, signal) => changes.addEventListener('change', listener, { signal }),
    clear() {
      skill = undefined
      files.clear()
    },
  }
}

/** What is always in the prompt. */
export function metadataTokens(skills: readonly SkillSummary[]): number {
  return skills.reduce((sum, { tokens }) => sum + tokens.metadata, 0)
}

/** What a prompt with everything in it would cost: names, descriptions, instructions of all skills. */
export function inlinedTokens(skills: readonly SkillSummary[]): number {
  return skills.reduce((sum, { tokens }) => sum + tokens.metadata + tokens.instructions, 0)
}

/** How much of `all` was not paid: 0 to 1. */
export function savedShare(now: number, all: number): number {
  return all > now ? 1 - now / all : 0
}
