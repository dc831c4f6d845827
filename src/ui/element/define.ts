import { SkillSearchElement } from './skill-search.js'

/**
 * Registers `<skill-search>`. Does nothing on a server, or if the name is registered already.
 *
 * @param name Name of the element, with a hyphen. Default: `skill-search`. Another name gets a class of its own.
 * @example
 * ```ts
 * import { defineSkillSearch } from 'skillshelf/element'
 *
 * defineSkillSearch()
 * document.body.append(document.createElement('skill-search'))
 * ```
 */
export function defineSkillSearch(name = 'skill-search'): void {
  const registry = globalThis.customElements
  if (!registry || registry.get(name)) return
  // A class has one name.
  registry.define(name, name === 'skill-search' ? SkillSearchElement : class extends SkillSearchElement {})
}
