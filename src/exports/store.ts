/**
 * Writable libraries: install, edit, publish and sweep skills. Packing, and skills as files.
 *
 * @packageDocumentation
 * @module skillshelf/store
 */

export { type ExportedFile, type ExportedSkill, exportSkill } from '../library/export-skill.js'
export {
  type PackedOutput,
  type PackedPart,
  type PackSummary,
  pack,
} from '../library/store/pack/pack.js'
export type { PackOptions } from '../library/store/pack/pack-options.js'
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
