import type { SearchResult, SkillMatch } from '../../library/api/match-result.js'
import type { SkillLibrary } from '../../library/api/skill-library.js'
import type { Skill, SkillSummary } from '../../skill/skill.js'

/** Texts of the element. Numbers are counts, messages are the user's. */
export interface SkillSearchTexts {
  /** Accessible name of the box, of the list and of the dialog. */
  label: string
  placeholder: string
  loading: string
  /** Before the message of the error. */
  failed: string
  retry: string
  /** The library has no skills. */
  empty: string
  /** Number of skills in the library. */
  count: (skills: number) => string
  /** Number of likely matches. */
  found: (skills: number) => string
  /** There are matches, but no likely one. */
  nearest: string
  /** There is no match. */
  noMatch: string
  /** Before the score, for screen readers. */
  score: string
  /** Marks a match that is not likely. */
  unlikely: string
  /** Hints at the bottom of the dialog. */
  hints: { select: string; open: string; close: string }
  clear: string
  close: string
  back: string
  copy: string
  copied: string
  /** Shown if the browser refuses the clipboard. The text is then selected. */
  notCopied: string
  /** Summary of the list of files. */
  files: (files: number) => string
}

/** Turns an opened skill into nodes, for example rendered Markdown. The node is shown instead of the plain text. */
export type RenderSkill = (skill: Skill, options: { signal: AbortSignal }) => Node | Promise<Node>

/** Details of `skill-match`. */
export interface SkillMatchDetail {
  message: string
  result: SearchResult
}

/** Details of `skill-open`. */
export interface SkillOpenDetail {
  skill: SkillSummary
  /** Absent if the skill was opened from the list of all skills. */
  match?: SkillMatch
  library: SkillLibrary
}

/** Details of `skill-copy`. */
export interface SkillCopyDetail {
  skill: Skill
  /** The copied text. */
  text: string
}

/** Details of `skill-error`. */
export interface SkillErrorDetail {
  error: Error
}

/** Events of `<skill-search>`. They bubble and cross shadow roots. */
export interface SkillSearchEventMap {
  /** A message was matched. */
  'skill-match': CustomEvent<SkillMatchDetail>
  /** The user chose a skill. `preventDefault()` keeps the element from showing it. */
  'skill-open': CustomEvent<SkillOpenDetail>
  /** The instructions of a skill were copied. */
  'skill-copy': CustomEvent<SkillCopyDetail>
  /** The library, a message or a skill failed. The element shows the error too. */
  'skill-error': CustomEvent<SkillErrorDetail>
}

declare global {
  interface HTMLElementEventMap extends SkillSearchEventMap {}
}
