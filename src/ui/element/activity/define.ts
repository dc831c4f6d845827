import { SkillActivityElement } from './skill-activity.js'

/**
 * Registers `<skill-activity>`. Does nothing on a server, or if the name is registered already.
 *
 * @param name Name of the element, with a hyphen. Default: `skill-activity`. Another name gets a class of its own.
 * @example
 * ```ts
 * import { defineSkillActivity } from 'skillshelf/devtools/element'
 *
 * defineSkillActivity()
 * ```
 */
export function defineSkillActivity(name = 'skill-activity'): void {
  const registry = globalThis.customElements
  if (!registry || registry.get(name)) return
  // A class has one name.
  registry.define(name, name === 'skill-activity' ? SkillActivityElement : class extends SkillActivityElement {})
}
