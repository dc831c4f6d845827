import { openLibrary } from 'skillshelf'
import { besideOf, type Meaning, saidOf } from './answers.js'
import { remembered } from './choice.js'
import type { Desk, Library, Place } from './desk.js'
import { byId, make } from './dom.js'
import { takeDrops } from './drop.js'
import type { Page } from './elsewhere.js'
import { createFinder } from './finder.js'
import type { Folder } from './folder.js'
import { createFooter } from './footer.js'
import { markView, writeFrame } from './frame.js'
import { preferredLanguage, rememberLanguage } from './language.js'
import type { Models } from './models.js'
import type { Opened, Trouble, Wanted } from './opening.js'
import type { Panel, Shown } from './panel.js'
import { goToLibrary, goToShelf, libraryOf, modelsOf, skillOf, viewOf } from './route.js'
import { language, speak, speakMore, texts } from './texts.js'

const SAMPLES = new URL('./skills/', document.baseURI)

let library: Library | undefined
let place: Place | undefined
/** The folder that was opened last: going back in the browser's history opens it again. */
let held: Folder | undefined
let trouble: { what: Trouble; wanted: Wanted } | undefined
let opening = new AbortController()
let shown: Shown
let panel: Promise<Panel> | undefined
/** Whether the bundled model takes part, and the work of making it. */
let meaning: Meaning = 'loading'
let improving = new AbortController()
let improved: Promise<void> = Promise.resolve()
let models: Promise<Models> | undefined
/** The transformer that is in use. */
let transformer: string | undefined

/** Nothing can be said before. */
const speaking = speak(preferredLanguage()).then(() => {
  writeFrame()
  byId('verdict', HTMLElement).textContent = texts.opening
})
const answers = new EventTarget()
const finder = createFinder(model => {
  showAnswers(model)
  answers.dispatchEvent(new Event('answer'))
})
const footer = createFooter()
/** Most who come never open another library. */
const elsewhere = () => withTexts(import('./elsewhere.js'))

const desk: Desk = {
  get library() {
    if (!library) throw new Error('No library is open')
    return library
  },
  message: finder.message,
  write(message) {
    // On a narrow page the box is behind what is open; it gets the focus when that closes.
    if (byId('finder', HTMLElement).offsetParent === null) goToShelf()
    finder.write(message)
  },
  onAnswer: (listener, signal) => answers.addEventListener('answer', listener, { signal }),
  async prepared(messages) {
    await improved
    if (meaning === 'in-use') await (await import('./meaning.js')).prepare(messages)
  },
}

const page: Page = {
  get place() {
    return place
  },
  open: wanted => safely(open(wanted, true)),
  cancel() {
    opening.abort()
    byId('progress', HTMLElement).replaceChildren()
    if (library) byId('open', HTMLElement).focus()
    else page.open({ kind: 'samples' })
  },
  dismiss() {
    safely(say(undefined))
    finder.focus()
  },
}

async function start(): Promise<void> {
  const wanted = placeOf(location.search)
  // What is asked for first is fetched while the texts are.
  await Promise.all([speaking.then(listen), open(wanted ?? { kind: 'samples' }, false)])
  if (!wanted) await sayFolderIsGone()
}

/** The library that the page's address names; `undefined`: a folder that the page has no more. */
function placeOf(search: string): Place | undefined {
  const { address, folder } = libraryOf(search)
  if (address !== undefined) return { kind: 'address', address }
  if (folder === undefined) return { kind: 'samples' }
  return held?.name === folder ? { kind: 'folder', folder: held } : undefined
}

function nameOf(at: Place | undefined): { address?: string; folder?: string } {
  return at?.kind === 'address' ? { address: at.address } : at?.kind === 'folder' ? { folder: at.folder.name } : {}
}

/**
 * Opens a library in place of the one that is open; that one stays until the other is there.
 * @param chosen By a person on this page: its address follows, and the focus.
 */
async function open(wanted: Wanted, chosen: boolean): Promise<void> {
  opening.abort()
  opening = new AbortController()
  const { signal } = opening
  let opened: Opened
  try {
    opened = await (wanted.kind === 'samples' ? openSamples(signal) : openOther(wanted, signal))
    await speaking
  } catch (error) {
    if (signal.aborted) return
    throw error
  }
  if (signal.aborted) return
  byId('progress', HTMLElement).replaceChildren()
  if ('trouble' in opened) return say({ what: opened.trouble, wanted }, chosen)
  const before = library
  ;({ library, place } = opened)
  if (place.kind === 'folder') held = place.folder
  if (chosen) {
    finder.clear()
    goToLibrary(nameOf(place))
  }
  finder.use(library, { examples: place.kind === 'samples' })
  await say(undefined)
  await showShelf()
  ;(await panel)?.forget()
  await follow()
  if (chosen || shown === undefined) finder.focus()
  // What fails there makes nothing worse.
  improved = improve(library, place).catch(() => {})
  await before?.close()
}

/** Opens a library once more, with the bundled model. Words answer until it is there, and where it cannot be. */
async function improve(words: Library, at: Place): Promise<void> {
  improving.abort()
  improving = new AbortController()
  const { signal } = improving
  const become = (next: Meaning): void => {
    meaning = next
    byId('models', HTMLElement).ariaBusy = String(next === 'loading')
    if (finder.message().trim() === '') showAnswers(undefined)
    void models?.then(({ update }) => update())
  }
  become('loading')
  let reached: Meaning = 'failed'
  try {
    const { openWithMeaning } = await import('./meaning.js')
    const better = await openWithMeaning(at, { samples: SAMPLES, signal, onPart: () => void finder.show() })
    reached = better ? 'in-use' : 'no-vectors'
    // Whoever still asks the one before can: it goes when nobody does.
    if (better && !signal.aborted) library = better
  } catch {
    // Words go on.
  }
  if (signal.aborted) return
  if (library && library !== words) {
    showFooter()
    await finder.swap(library)
  }
  become(reached)
  if (models) (await models).follow(library ?? words)
  else if (remembered('model') !== undefined) (await modelsPart()).resume()
}

/** Says what finds skills: what ranked, or would. */
function showAnswers(model: string | undefined): void {
  const standing = transformer === undefined ? (meaning === 'in-use' ? 'bundled' : 'nothing') : { name: transformer }
  byId('answers', HTMLElement).replaceChildren(...saidOf(model === undefined ? standing : besideOf(model)))
  byId('models', HTMLElement).hidden = false
}

/** Most who come never ask for another model. */
function modelsPart(): Promise<Models> {
  models ??= withTexts(import('./models.js')).then(({ createModels }) =>
    createModels({
      files: modelsOf(location.search),
      get library() {
        return desk.library
      },
      get meaning() {
        return meaning
      },
      again(inUse) {
        transformer = inUse
        void finder.show()
      },
    }),
  )
  return models
}

async function openSamples(signal: AbortSignal): Promise<Opened> {
  try {
    return { place: { kind: 'samples' }, library: await openLibrary(SAMPLES, { strict: true, signal }) }
  } catch (error) {
    signal.throwIfAborted()
    return { trouble: (await elsewhere()).samplesTrouble(error) }
  }
}

async function openOther(wanted: Wanted, signal: AbortSignal): Promise<Opened> {
  const [{ openElsewhere }] = await Promise.all([elsewhere(), say(undefined)])
  return openElsewhere(wanted, signal, page)
}

/** Everything that depends on which library is open. */
async function showShelf(): Promise<void> {
  if (!library || !place) return
  const { snapshot } = library
  showFooter()
  byId('whence', HTMLElement).hidden = place.kind === 'samples'
  if (place.kind !== 'samples') (await elsewhere()).showWhence(place, page)
  const notes = byId('notes', HTMLElement)
  notes.replaceChildren()
  await finder.show()
  if (snapshot.diagnostics.length === 0) return
  const { diagnosticNotice } = await withTexts(import('./diagnostics.js'))
  notes.replaceChildren(diagnosticNotice(texts.remarks.onLibrary(snapshot.diagnostics.length), snapshot.diagnostics))
}

function showFooter(): void {
  if (!library) return
  const { address } = nameOf(place)
  footer.show(library.snapshot, place?.kind === 'samples' ? SAMPLES : address ? new URL(address) : undefined)
}

/** Says what is wrong, or takes that away. */
async function say(next: typeof trouble, focus = false): Promise<void> {
  trouble = next
  byId('finder', HTMLElement).classList.toggle('shut', library === undefined && next !== undefined)
  byId('trouble', HTMLElement).replaceChildren()
  if (!next) return
  const { showTrouble } = await elsewhere()
  if (trouble !== next) return
  const view = showTrouble(next.what, next.wanted, page)
  if (focus) view.focus()
}

function sayFolderIsGone(): Promise<void> {
  const { folder = '' } = libraryOf(location.search)
  return say({ what: { kind: 'folder-gone', where: folder }, wanted: { kind: 'samples' } })
}

/** Shows what the hash names. */
async function follow(options: { quiet?: boolean } = {}): Promise<void> {
  if (!library) return
  const before = shown
  const skill = skillOf(location.hash)
  const view = viewOf(location.hash)
  shown = skill !== undefined ? { skill } : view ? { view } : undefined
  finder.setCurrent(skill)
  markView(view)
  if (!shown && !panel) return
  // What shows a skill is loaded with the first that is opened.
  panel ??= withTexts(import('./panel.js')).then(({ createPanel }) => createPanel(desk))
  const { show } = await panel
  await show(shown, options)
  if (before !== undefined && shown === undefined) finder.focus('skill' in before ? before.skill : undefined)
}

async function changeLanguage(): Promise<void> {
  await speak(language === 'en' ? 'zh' : 'en')
  rememberLanguage(language)
  writeFrame()
  await showShelf()
  await say(trouble)
  ;(await models)?.draw()
  await follow({ quiet: true })
}

function listen(): void {
  window.addEventListener('hashchange', () => safely(follow()))
  window.addEventListener('popstate', () => {
    const { address, folder } = libraryOf(location.search)
    const now = nameOf(place)
    if (address === now.address && folder === now.folder) return
    const wanted = placeOf(location.search)
    safely(wanted ? open(wanted, false) : sayFolderIsGone())
  })
  document.addEventListener('keydown', event => {
    if (event.key !== 'Escape' || shown === undefined || document.querySelector('dialog[open]')) return
    event.preventDefault()
    goToShelf()
  })
  byId('open', HTMLElement).addEventListener('click', () =>
    safely(elsewhere().then(({ askForLibrary }) => askForLibrary(page))),
  )
  byId('models', HTMLDetailsElement).addEventListener('toggle', () => safely(modelsPart()))
  byId('language', HTMLElement).addEventListener('click', () => safely(changeLanguage()))
  takeDrops(entries => page.open({ kind: 'drop', entries }))
}

/** A part of the page that is loaded later, with what it says. */
async function withTexts<Part>(part: Promise<Part>): Promise<Part> {
  const [loaded] = await Promise.all([part, speaking.then(speakMore)])
  return loaded
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
