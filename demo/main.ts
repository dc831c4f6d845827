import { openLibrary, type SkillLibrary } from 'skillshelf'
import { diagnosticNotice } from './diagnostics.js'
import { byId, make } from './dom.js'
import { createFinder } from './finder.js'
import { createFooter } from './footer.js'
import type { Panel } from './panel.js'
import { goToShelf, skillOf } from './route.js'
import { type Trouble, troubleOf, troubleView } from './trouble.js'

async function start(): Promise<void> {
  const address = new URL('./skills/', document.baseURI)
  const footer = createFooter(address)
  const library = await openLibrary(address)
  const { snapshot } = library
  const trouble = troubleOf(snapshot)
  if (trouble) return showTrouble(trouble)
  footer.show(snapshot)
  if (snapshot.diagnostics.length > 0)
    byId('notes', HTMLElement).replaceChildren(diagnosticNotice('Remarks on this library', snapshot.diagnostics))
  run(library)
}

function run(library: SkillLibrary): void {
  const finder = createFinder(library)
  let panel: Promise<Panel> | undefined
  let opened: string | undefined

  const follow = async (): Promise<void> => {
    const before = opened
    opened = skillOf(location.hash)
    finder.setCurrent(opened)
    // What shows a skill is loaded with the first that is opened.
    panel ??= import('./panel.js').then(({ createPanel }) => createPanel(library))
    const { show } = await panel
    await show(opened)
    if (before !== undefined && opened === undefined) finder.focus(before)
  }
  const followSafely = (): void => {
    follow().catch(() => {
      const place = byId('opened', HTMLElement)
      place.hidden = false
      place.replaceChildren(make('p', { class: 'trouble' }, 'A part of this page is missing. Please load it again.'))
    })
  }

  window.addEventListener('hashchange', followSafely)
  document.addEventListener('keydown', event => {
    if (event.key !== 'Escape' || opened === undefined) return
    event.preventDefault()
    goToShelf()
  })
  void finder.show()
  if (skillOf(location.hash) === undefined) finder.focus()
  else followSafely()
}

function showTrouble(trouble: Trouble): void {
  byId('verdict', HTMLElement).replaceChildren()
  byId('finder', HTMLElement).classList.add('shut')
  byId('notes', HTMLElement).replaceChildren(troubleView(trouble, () => location.reload()))
}

start().catch((error: unknown) =>
  showTrouble({
    what: 'The skills could not be opened.',
    detail: error instanceof Error ? error.message : String(error),
  }),
)
