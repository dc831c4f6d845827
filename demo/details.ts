import type { Library, PageContext } from './context.js'
import type { DetailsPanel, DetailsTarget } from './details-panel.js'
import { byId } from './dom.js'
import { markView } from './layout.js'
import type { SearchBox } from './search/search-box.js'
import { parseFile, parseSkillHash, parseViewHash } from './url.js'

/** Opens the skill or view that the URL hash names in the details panel. */
export interface Details {
  readonly target: DetailsTarget
  /**
   * Draws what the URL names, unless it is drawn from the open library already.
   * @param options.quiet Draw it again, and keep the focus and the scroll position.
   */
  followUrl(options?: { quiet?: boolean }): Promise<void>
  /** Redraws the panel if it shows any of these skills, which were added, changed or removed. */
  refresh(ids: readonly string[]): Promise<void>
  /** Forgets what was read from the previous library. */
  reset(): Promise<void>
}

interface DetailsOptions {
  context: PageContext
  searchBox: SearchBox
  loadPanel(): Promise<typeof import('./details-panel.js')>
}

export function createDetails({ context, searchBox, loadPanel }: DetailsOptions): Details {
  let target: DetailsTarget
  let panel: Promise<DetailsPanel> | undefined
  let drawnFrom: Library | undefined

  return {
    get target() {
      return target
    },
    async followUrl(options = {}) {
      const before = target
      const skill = parseSkillHash(location.hash)
      const view = parseViewHash(location.hash)
      target =
        skill !== undefined
          ? { skill, file: parseFile(location.hash) }
          : view
            ? { view }
            : undefined
      searchBox.markCurrent(skill)
      markView(view)
      if (!target && !panel) {
        // It may say that the panel failed to load.
        byId('details', HTMLElement).hidden = true
        return
      }
      if (!options.quiet && drawnFrom === context.library && isSame(before, target)) return
      drawnFrom = context.library
      panel ??= loadPanel().then(({ createDetailsPanel }) => createDetailsPanel(context))
      panel.catch(() => {
        panel = undefined
      })
      const { show } = await panel
      await show(target, options)
      if (before !== undefined && target === undefined) {
        searchBox.focus('skill' in before ? before.skill : undefined)
      }
    },
    refresh: async ids => (await panel)?.refresh(ids),
    reset: async () => (await panel)?.reset(),
  }
}

function isSame(one: DetailsTarget, other: DetailsTarget): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
