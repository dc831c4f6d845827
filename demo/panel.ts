import { isSkillshelfError, type SkillLibrary } from 'skillshelf'
import { byId, make } from './dom.js'
import { closeLink, skillView } from './skill.js'

export interface Panel {
  /** Opens a skill, or closes what is open. Answers that come after another call are dropped. */
  show(id: string | undefined): Promise<void>
}

/** The place where a skill is shown. */
export function createPanel(library: SkillLibrary): Panel {
  const place = byId('opened', HTMLElement)
  let life = new AbortController()

  return {
    async show(id) {
      life.abort()
      life = new AbortController()
      const { signal } = life
      document.title = 'skillshelf'
      document.body.classList.toggle('has-skill', id !== undefined)
      place.hidden = id === undefined
      if (id === undefined) {
        place.replaceChildren()
        return
      }
      place.setAttribute('aria-busy', 'true')
      let content: Node[]
      let title = ''
      try {
        const skill = await library.get(id, { signal })
        content = await skillView(library, skill, signal)
        title = skill.displayName ?? skill.name
      } catch (error) {
        content = failure(id, error)
      }
      if (signal.aborted) return
      place.setAttribute('aria-busy', 'false')
      if (title !== '') document.title = `${title} · skillshelf`
      place.replaceChildren(closeLink(), ...content)
      place.querySelector('h2')?.focus({ preventScroll: true })
      window.scrollTo({ top: 0 })
    },
  }
}

function failure(id: string, error: unknown): Node[] {
  const missing = isSkillshelfError(error, 'skill-not-found')
  return [
    make('h2', { tabindex: '-1' }, missing ? 'No such skill' : 'The skill could not be opened'),
    make('p', {}, missing ? `There is no skill ${id} on this shelf.` : message(error)),
    make('p', {}, missing ? 'Choose another from the shelf.' : 'Check the network, then choose it again.'),
  ]
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
