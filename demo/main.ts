import { createAnswering } from './answering.js'
import type { Desk, Place } from './desk.js'
import { byId, make } from './dom.js'
import { takeDrops } from './drop.js'
import type { Page } from './elsewhere.js'
import { createFinder } from './finder.js'
import type { Folder } from './folder.js'
import { createFooter } from './footer.js'
import { writeFrame } from './frame.js'
import { preferredLanguage, rememberLanguage } from './language.js'
import type { Wanted } from './opening.js'
import { goToLibrary, goToShelf, goToSkill, libraryOf } from './route.js'
import { createShelf } from './shelf.js'
import { createShowing } from './showing.js'
import { createTelling } from './telling.js'
import { language, speak, speakMore, texts } from './texts.js'

const SAMPLES = new URL('./skills/', document.baseURI)

/** The folder that was opened last: going back in the browser's history opens it again. */
let held: Folder | undefined

/** Nothing can be said before. */
const speaking = speak(preferredLanguage()).then(() => {
  writeFrame()
  byId('verdict', HTMLElement).textContent = texts.opening
})
const answers = new EventTarget()
const finder = createFinder(model => {
  answering.show(model)
  answers.dispatchEvent(new Event('answer'))
})
const footer = createFooter()
/** Most who come never open another library. */
const elsewhere = () => withTexts(import('./elsewhere.js'))

const shelf = createShelf({
  samples: SAMPLES,
  ready: speaking,
  async openOther(wanted, signal) {
    const [{ openElsewhere }] = await Promise.all([elsewhere(), telling.say(undefined)])
    return openElsewhere(wanted, signal, page)
  },
  samplesTrouble: async error => ({ trouble: (await elsewhere()).samplesTrouble(error) }),
  onMeaning: () => answering.update(),
  onPart: () => void finder.show(),
  onChange: ({ added, changed, removed }) =>
    safely(telling.showShelf().then(() => showing.refresh([...added, ...changed, ...removed]))),
  async onBetter(library, before) {
    telling.showFooter()
    await finder.swap(library)
    const known = new Set(before.snapshot.skills.map(({ id }) => id))
    await showing.refresh(library.snapshot.skills.map(({ id }) => id).filter(id => !known.has(id)))
  },
  async onImproved(library) {
    await answering.follow(library)
    void offline()
  },
})
const answering = createAnswering({ shelf, finder, load: () => withTexts(import('./models.js')) })
const divertDrops = takeDrops(entries => page.open({ kind: 'drop', entries }))

const desk: Desk = {
  get library() {
    if (!shelf.library) throw new Error('No library is open')
    return shelf.library
  },
  message: finder.message,
  write(message) {
    // On a narrow page the box is behind what is open; it gets the focus when that closes.
    if (byId('finder', HTMLElement).offsetParent === null) goToShelf()
    finder.write(message)
  },
  onAnswer: (listener, signal) => answers.addEventListener('answer', listener, { signal }),
  async prepared(messages) {
    await shelf.improved
    if (shelf.meaning === 'in-use') await (await import('./meaning.js')).prepare(messages)
  },
  divertDrops,
  openOwn: id => safely(openOwn(id)),
}

const showing = createShowing({ desk, finder, load: () => withTexts(import('./panel.js')) })

const page: Page = {
  get place() {
    return shelf.place
  },
  open: wanted => safely(open(wanted, true)),
  cancel() {
    shelf.cancel()
    byId('progress', HTMLElement).replaceChildren()
    if (shelf.library) byId('open', HTMLElement).focus()
    else page.open({ kind: 'samples' })
  },
  dismiss() {
    safely(telling.say(undefined))
    finder.focus()
  },
}

const telling = createTelling({
  samples: SAMPLES,
  shelf,
  finder,
  footer,
  page,
  elsewhere,
  diagnostics: () => withTexts(import('./diagnostics.js')),
})

async function start(): Promise<void> {
  const wanted = placeOf(location.search)
  // What is asked for first is fetched while the texts are.
  await Promise.all([speaking.then(listen), open(wanted ?? { kind: 'samples' }, false)])
  if (!wanted) await telling.sayFolderIsGone()
}

/** The library that the page's address names; `undefined`: a folder that the page has no more. */
function placeOf(search: string): Wanted | undefined {
  const { address, folder } = libraryOf(search)
  if (address !== undefined) return { kind: 'address', address }
  if (folder === undefined) return { kind: 'samples' }
  return held?.name === folder ? { kind: 'folder', folder: held } : undefined
}

function nameOf(at: Place | undefined): { address?: string; folder?: string } {
  return at?.kind === 'address' ? { address: at.address } : at?.kind === 'folder' ? { folder: at.folder.name } : {}
}

/** @param chosen By a person on this page: its address follows, and the focus. */
async function open(wanted: Wanted, chosen: boolean): Promise<void> {
  const opened = await shelf.open(wanted)
  if (!opened) return
  byId('progress', HTMLElement).replaceChildren()
  if ('trouble' in opened) return telling.say({ what: opened.trouble, wanted }, chosen)
  const { library, place } = opened
  if (place.kind === 'folder') held = place.folder
  if (chosen) {
    finder.clear()
    goToLibrary(nameOf(place))
  }
  finder.use(library, { examples: place.kind === 'samples' })
  await telling.say(undefined)
  await telling.showShelf()
  await showing.forget()
  await showing.follow()
  if (chosen || showing.shown === undefined) finder.focus()
  shelf.improve()
}

async function openOwn(id: string): Promise<void> {
  if (shelf.place?.kind !== 'samples') await open({ kind: 'samples' }, true)
  goToSkill(id)
}

async function changeLanguage(): Promise<void> {
  await speak(language === 'en' ? 'zh' : 'en')
  rememberLanguage(language)
  writeFrame()
  await telling.showShelf()
  await telling.repeat()
  await answering.draw()
  if (shelf.library) await showing.follow({ quiet: true })
}

/** Shows what the hash names, on a shelf. */
async function follow(): Promise<void> {
  if (shelf.library) await showing.follow()
}

function listen(): void {
  window.addEventListener('hashchange', () => safely(follow()))
  window.addEventListener('popstate', () => {
    const { address, folder } = libraryOf(location.search)
    const now = nameOf(shelf.place)
    if (address === now.address && folder === now.folder) return
    const wanted = placeOf(location.search)
    safely(wanted ? open(wanted, false) : telling.sayFolderIsGone())
  })
  document.addEventListener('keydown', event => {
    if (event.key !== 'Escape' || showing.shown === undefined || document.querySelector('dialog[open]')) return
    event.preventDefault()
    goToShelf()
  })
  byId('open', HTMLElement).addEventListener('click', () =>
    safely(elsewhere().then(({ askForLibrary }) => askForLibrary(page))),
  )
  byId('models', HTMLDetailsElement).addEventListener('toggle', () => safely(answering.open()))
  byId('language', HTMLElement).addEventListener('click', () => safely(changeLanguage()))
}

/** A part of the page that is loaded later, with what it says. */
async function withTexts<Part>(part: Promise<Part>): Promise<Part> {
  const [loaded] = await Promise.all([part, speaking.then(speakMore)])
  return loaded
}

/** Once the page has answered, in a secure context. What the development server has changes under the hand: it is not kept. */
async function offline(): Promise<void> {
  if (import.meta.hot || !('serviceWorker' in navigator) || savesData()) return
  try {
    const { workOffline } = await import('./offline.js')
    await workOffline(SAMPLES)
    footer.markOffline()
  } catch {
    // Then it does not work offline, and says nothing of it.
  }
}

/** Where a person asked the browser to load no more than is needed. */
function savesData(): boolean {
  return (navigator as { connection?: { saveData?: boolean } }).connection?.saveData ?? false
}

/** What fails here is a part of the page that could not be loaded. */
function safely(work: Promise<unknown>): void {
  work.catch(() => {
    const at = byId('opened', HTMLElement)
    at.hidden = false
    at.replaceChildren(make('p', { class: 'trouble' }, texts?.missingPart ?? 'Please load the page again.'))
  })
}

safely(start())
