/** What the plugin of `skillshelf/vite` packs: `/// <reference types="skillshelf/virtual" />`, or `types` in tsconfig.json. */
declare module 'virtual:skillshelf' {
  import type { SkillLibrary } from 'skillshelf'

  /** The library, open. In development it refreshes when its folder changes. */
  const library: SkillLibrary
  export default library
}
