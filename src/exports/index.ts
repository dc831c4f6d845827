/**
 * Open, match and read a library of skills. Install, edit and pack skills.
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
export { findTerms, type TextRange } from '../core/text/find-terms.js'
export { estimateTokens, type TokenCounter } from '../core/tokens.js'
export type { LibraryChange, LibrarySnapshot } from '../library/catalog/types.js'
export type { AskForMessages, MessageLanguage, MessagesPrompt } from '../library/enrich/types.js'
export type { LibraryInput } from '../library/input.js'
export type { ForgetOptions, LearnedMessage, LearnedStore } from '../library/learning/types.js'
export { openLibrary } from '../library/library.js'
export type { LibraryOptions } from '../library/options.js'
export { type ExportedFile, type ExportedSkill, exportSkill } from '../library/store/export-skill.js'
export { type CachedOptions, cached } from '../library/store/offline/cached.js'
export {
  type PackedOutput,
  type PackedPart,
  type PackOptions,
  type PackSummary,
  pack,
} from '../library/store/pack/pack.js'
export { type PreloadOptions, preload } from '../library/store/preload.js'
export type { PublishedSummary } from '../library/store/publish/well-known.js'
export {
  type ChangeOptions,
  type InstallOptions,
  type SkillStore,
  type StoreChange,
  type StoreOptions,
  skillStore,
} from '../library/store/store.js'
export type { ChosenFile, InstallInput } from '../library/store/write/install-input.js'
export type { StoredSkill } from '../library/store/write/stored-skill.js'
export type { SweepOptions, SweepResult } from '../library/store/write/sweep.js'
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
  UpgradeOptions,
} from '../library/types.js'
export type { Vectors } from '../search/index/vectors.js'
export { lexicalMatcher, localMatcher } from '../search/match/hybrid.js'
export { type AskModel, type LlmRerankOptions, llmRerank } from '../search/match/llm-rerank.js'
export { namedTerms, reasonOf } from '../search/match/reason.js'
export type { RerankAnswer, RerankCandidate, Reranker } from '../search/match/rerank.js'
export type { Stages } from '../search/match/stages.js'
export type {
  Abstention,
  FieldName,
  KeptBecause,
  Language,
  LiveSegment,
  Matcher,
  MatcherOptions,
  MatcherResult,
  MatchQuery,
  MatchSignals,
  QueryVector,
  RerankNote,
  Rule,
  SkillMatch,
  TermForm,
  TermSignal,
} from '../search/match/types.js'
export type {
  Calibration,
  EmbeddedSkill,
  Embedder,
  EmbedderLoader,
  EmbedKind,
  EmbedOptions,
  LoadOptions,
  SkillModel,
  VectorCache,
} from '../search/model/types.js'
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
export type { HttpOptions, HttpRequest, HttpResponse } from '../source/http/options.js'
export { type MemoryFile, memory } from '../source/memory.js'
export type {
  ByteRange,
  Changes,
  FetchableSource,
  FetchResult,
  FileEntry,
  ListableSource,
  ListOptions,
  ReadOptions,
  ReadResult,
  SkillSource,
  WritableSource,
  WriteOptions,
} from '../source/source.js'
