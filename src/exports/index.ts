/**
 * Open, match and read a library of skills.
 *
 * @packageDocumentation
 * @module skillshelf
 */

export type { AbortOptions } from '../core/abort.js'
export {
  type ErrorCode,
  type ErrorData,
  type ErrorDetails,
  isSkillshelfError,
  SkillshelfError,
} from '../core/errors.js'
export type { OnProgress, Progress } from '../core/progress.js'
export { showHidden } from '../core/sanitize.js'
export { estimateTokens } from '../core/tokens.js'
export type { MatchResult, SearchResult, SkillMatch } from '../library/api/match-result.js'
export type {
  AskForMessages,
  MessageLanguage,
  MessagesPrompt,
} from '../library/api/message-writing.js'
export type { LibraryOptions } from '../library/api/options.js'
export type {
  EnrichOptions,
  EnrichResult,
  ExplainOptions,
  Explanation,
  LocalLibrary,
  MatchOptions,
  SearchOptions,
  SkillFilter,
  SkillLibrary,
  SkillPage,
  UpgradeOptions,
} from '../library/api/skill-library.js'
export type { LibraryChange, LibrarySnapshot } from '../library/catalog/catalog-entry.js'
export type { LibraryInput } from '../library/indexing/input.js'
export { openLibrary } from '../library/open-library.js'
export { type PreloadOptions, preload } from '../library/preload.js'
export { type CachedOptions, cached } from '../library/store/offline/cached.js'
export type {
  Abstention,
  Language,
  MatchQuery,
  MatchSignals,
  MatchStatus,
} from '../search/match/skill-match.js'
export type { Embedder } from '../search/model/skill-model.js'
export type { Diagnostic, DiagnosticCode, Severity } from '../skill/diagnostics.js'
export { type ParseOptions, parseSkill } from '../skill/parse.js'
export type {
  FileInfo,
  FileKind,
  ParsedSkill,
  Skill,
  SkillDetails,
  SkillFile,
  SkillFileInfo,
  SkillId,
  SkillMetadata,
  SkillSummary,
} from '../skill/skill.js'
export { http } from '../source/http/http.js'
export type { HttpOptions } from '../source/http/options.js'
export { memory } from '../source/memory.js'
export type { SkillSource } from '../source/source.js'
