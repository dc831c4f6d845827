/**
 * Types of the module that the plugin of `skillshelf/vite` provides. Add `/// <reference types="skillshelf" />`, or list `skillshelf` under
 * `types` in tsconfig.json.
 */
declare module 'virtual:skillshelf' {
  import type { LazyLibrary } from 'skillshelf/lazy'

  /** The library. It opens in the background, and its calls wait. In development it refreshes when the folder of skills changes. */
  export const library: LazyLibrary
  export default library
}
