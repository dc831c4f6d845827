import type { Desk } from './desk.js'
import type { Finder } from './finder.js'
import { markView } from './frame.js'
import type { Panel, Shown } from './panel.js'
import { skillOf, viewOf } from './route.js'

/** What is shown beside the shelf: what the page's hash names. */
export interface Showing {
  readonly shown: Shown
  /** @param options.quiet Leave the focus and the place in the page as they are. */
  follow(options?: { quiet?: boolean }): Promise<void>
  /** These skills came or went. */
  refresh(touched: readonly string[]): Promise<void>
  /** Another library stands on the shelf. */
  forget(): Promise<void>
}

interface ShowingOptions {
  desk: Desk
  finder: Finder
  load(): Promise<typeof import('./panel.js')>
}

export function createShowing({ desk, finder, load }: ShowingOptions): Showing {
  let shown: Shown
  let panel: Promise<Panel> | undefined

  return {
    get shown() {
      return shown
    },
    async follow(options = {}) {
      const before = shown
      const skill = skillOf(location.hash)
      const view = viewOf(location.hash)
      shown = skill !== undefined ? { skill } : view ? { view } : undefined
      finder.setCurrent(skill)
      markView(view)
      if (!shown && !panel) return
      // What shows a skill is loaded with the first that is opened.
      panel ??= load().then(({ createPanel }) => createPanel(desk))
      const { show } = await panel
      await show(shown, options)
      if (before !== undefined && shown === undefined) finder.focus('skill' in before ? before.skill : undefined)
    },
    refresh: async touched => (await panel)?.refresh(touched),
    forget: async () => (await panel)?.forget(),
  }
}
