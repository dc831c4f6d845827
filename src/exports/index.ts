/**
 * Open, match and read a library of skills. Install, edit and pack skills.
 *
 * @packageDocumentation
 * @module skillshelf
 */

export type { LibraryChange, LibrarySnapshot } from '../catalog/types.js'
export {
  type ErrorCode,
  type ErrorData,
  type ErrorDetails,
  isSkillshelfError,
  SkillshelfError,
} from '../core/errors.js'
export type { OnProgress, Progress } from '../core/progress.js'
export { estimateTokens, type TokenCounter } from '../core/tokens.js'
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
} from '../embed/types.js'
export type { AskForMessages, MessageLanguage, MessagesPrompt } from '../enrich/types.js'
export type { LibraryInput } from '../library/input.js'
export type { ForgetOptions, LearnedMessage, LearnedStore } from '../library/learning/types.js'
export { openLibrary } from '../library/library.js'
export type { LibraryOptions } from '../library/options.js'
export type {
  AbortOptions,
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
export { lexicalMatcher, localMatcher } from '../match/hybrid.js'
export { type AskModel, type LlmRerankOptions, llmRerank } from '../match/llm-rerank.js'
export { namedTerms, reasonOf } from '../match/reason.js'
export type { RerankAnswer, RerankCandidate, Reranker } from '../match/rerank.js'
export type { Stages } from '../match/stages.js'
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
} from '../match/types.js'
export type { Vectors } from '../segment/vectors.js'
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
} from '../skill/types.js'
export { http } from '../source/http/http.js'
export type { HttpOptions, HttpRequest, HttpResponse } from '../source/http/types.js'
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
} from '../source/types.js'
export { type ExportedFile, type ExportedSkill, exportSkill } from '../store/export-skill.js'
export { type CachedOptions, cached } from '../store/offline/cached.js'
export type { PackedPart } from '../store/pack/output.js'
export { type PackedOutput, type PackOptions, type PackSummary, pack } from '../store/pack/pack.js'
export { type PreloadOptions, preload } from '../store/preload.js'
export type { PublishedSummary } from '../store/publish/well-known.js'
export {
  type ChangeOptions,
  type InstallOptions,
  type SkillStore,
  type StoreChange,
  type StoreOptions,
  skillStore,
} from '../store/store.js'
export type { ChosenFile, InstallInput } from '../store/write/install-input.js'
export type { StoredSkill } from '../store/write/stored-skill.js'
export type { SweepOptions, SweepResult } from '../store/write/sweep.js'
export { findTerms, type TextRange } from '../text/find-terms.js'
