import type { ReadOptions, SkillSource } from './source.js'

/**
 * Checks a catalog, such as its signatures.
 * @param catalog `undefined` for a source without a catalog.
 * @param options `isCopy`: the catalog was accepted when the copy was made, so an older revision than the last one seen is not an attack.
 * @throws SkillshelfError `untrusted`
 */
export type CatalogCheck = (
  catalog: Uint8Array<ArrayBuffer> | undefined,
  options: { isCopy: boolean },
) => Promise<void>

/** Key of checks. A symbol, so that sources that wrap another one hand them on with the other options. */
export const CHECK: unique symbol = Symbol('checks of catalogs')

/** Options of `read` with the checks of the reader: a source that keeps a copy runs them too, before it replaces the copy. */
export interface CheckedReadOptions extends ReadOptions {
  [CHECK]?: readonly CatalogCheck[] | undefined
}

/** A source that checks its catalogs. A copy of it is checked in the same way. */
export interface CheckedSource extends SkillSource {
  [CHECK]?: readonly CatalogCheck[]
}
