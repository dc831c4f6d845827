import { openLibrary, type SkillLibrary } from 'skillshelf'
import { byId, make } from './dom.js'
import { createFinder } from './finder.js'
import { createFooter } from './footer.js'
import { createPanel } from './panel.js'
import { goToShelf, skillOf } from './route.js'
import { diagnosticList } from './skill.js'
import { troubleOf, troubleView } from './trouble.js'

const address = new URL('./skills/', document.baseURI)

async function start(): Promise<void> {
  const footer = createFooter(address)
  const library = await openLibrary(address)
  footer.show(library.snapshot)
  const trouble = troubleOf(library.snapshot)
  if (!trouble) return run(library)
  showTrouble(trouble)
}

function run(library: SkillLibrary): void {
  const finder = createFinder(library)
  const panel = createPanel(library)
  let opened: string | undefined

  const follow = async (): Promise<void> => {
    const before = opened
    opened = skillOf(location.hash)
    finder.setCurrent(opened)
    await panel.show(opened)
    if (before !== undefined && opened === undefined) finder.focus(before)
  }
  window.addEventListener('hashchange', () => void follow())
  document.addEventListener('keydown', event => {
    if (event.key !== 'Escape' || opened === undefined) return
    event.preventDefault()
    goToShelf()
  })

  const { diagnostics } = library.snapshot
  if (diagnostics.length > 0)
    byId('notes', HTMLElement).replaceChildren(
      make(
        'details',
        { class: 'notices' },
        make('summary', {}, 'Remarks on this library'),
        diagnosticList(diagnostics),
      ),
    )
  void finder.show()
  if (skillOf(location.hash) === undefined) finder.focus()
  else void follow()
}

function showTrouble(trouble: { what: string; detail?: string }): void {
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
