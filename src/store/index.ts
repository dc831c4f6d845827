export { type CachedOptions, cached } from './cached.js'
export type { ChosenFile, InstallInput } from './input.js'
export { type InstallOptions, type SkillStore, type StoreChange, type StoreOptions, skillStore } from './store.js'
