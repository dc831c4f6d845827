/**
 * Types of the module that the plugin of `skillshelf/vite` provides. Add `/// <reference types="skillshelf" />`, or list `skillshelf` under
 * `types` in tsconfig.json.
 */
declare module 'virtual:skillshelf' {
  import type { SkillLibrary } from 'skillshelf'

  /** The open library. In development it refreshes when the folder of skills changes. */
  const library: SkillLibrary
  export default library
}
