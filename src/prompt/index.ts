/** What a model is told about a library: text for its prompt. Plain functions; the same catalog gives the same bytes. */
export { type CatalogOptions, catalogSection } from './catalog-section.js'
export { escapeAttribute, escapeText } from './escape.js'
export { matchesSection } from './matches-section.js'
