/** The page's entry point: creates each part, connects them, and opens the library that the URL names. */
import type { PageContext } from './context.js'
import { createDetails } from './details.js'
import { byId, make } from './dom.js'
import { createFooter } from './footer.js'
import { writeLayout } from './layout.js'
import { createCurrentLibrary } from './library/current-library.js'
import { createDropZone } from './library/drop-zone.js'
import { queryOf } from './library/library-query.js'
import { createLibraryStatus } from './library/library-status.js'
import { createOpening } from './library/opening.js'
import type { PageActions } from './library/other-libraries.js'
import { nextTask, whenIdle } from './next-task.js'
import { listen } from './page-events.js'
import { preferredLanguage, remember } from './preferences.js'
import { run } from './run.js'
import { createModelStatus } from './search/model-status.js'
import { createSearchBox } from './search/search-box.js'
import { language, loadMoreTexts, loadTexts, texts } from './texts.js'
import {
  followMessage,
  goToSearch,
  goToSkill,
  markEntry,
  parseLanguage,
  parseLibraryQuery,
  parseMessage,
  parseViewHash,
  replaceLanguage,
  replaceMessage,
} from './url.js'

const SAMPLES = new URL('./skills/', document.baseURI)

/**
 * Creates the parts of the page and connects them, then opens the library that the URL names. The parts call each other back, so nothing
 * happens before all of them are there.
 */
async function start(): Promise<void> {
  // The texts load meanwhile.
  const textsLoaded = loadTexts(preferredLanguage(parseLanguage(location.search))).then(() => {
    writeLayout()
    byId('verdict', HTMLElement).replaceChildren(
      make('span', { class: 'visually-hidden' }, texts.loading),
    )
  })

  // Loading on demand

  const loadOtherLibraries = () => withTexts(import('./library/other-libraries.js'))
  const loadCopy = () => withTexts(import('./copy.js'))

  // The parts of the page

  const searches = new EventTarget()
  const searchBox = createSearchBox(model => {
    modelStatus.show(model)
    replaceMessage(searchBox.message())
    if (model !== undefined) void keepLanguage(searchBox.message())
    searches.dispatchEvent(new Event('search'))
  }, prepareModel)
  const footer = createFooter()

  const current = createCurrentLibrary({
    samples: SAMPLES,
    ready: textsLoaded,
    async openOther(request, signal) {
      const [{ openWithProgress }] = await Promise.all([
        loadOtherLibraries(),
        libraryStatus.clearError(),
      ])
      return openWithProgress(request, signal, page)
    },
    samplesError: async error => ({ error: (await loadOtherLibraries()).samplesError(error) }),
    onModelState: () => modelStatus.update(),
    async onChange({ added, changed, removed }) {
      await run(libraryStatus.update(), 'diagnostics')
      await run(details.refresh([...added, ...changed, ...removed]), 'details')
    },
    async onReplaced(library, before) {
      libraryStatus.updateFooter()
      await searchBox.replaceLibrary(library)
      const known = new Set(before.snapshot.skills.map(({ id }) => id))
      const added = library.snapshot.skills.map(({ id }) => id).filter(id => !known.has(id))
      await run(details.refresh(added), 'details')
    },
    async onUpgraded(library) {
      await run(modelStatus.upgrade(library), 'models-panel')
      void loadTheRest()
    },
  })

  const page: PageActions = {
    get location() {
      return current.location
    },
    open: request => void run(opening.open(request, { byUser: true }), 'error'),
    cancel: () => opening.cancel(),
    preview: names => opening.preview(names),
    setMessage: message => context.setMessage(message),
    dismissError() {
      void libraryStatus.clearError()
      searchBox.focus()
    },
  }
  const libraryStatus = createLibraryStatus({
    current,
    searchBox,
    footer,
    page,
    loadOtherLibraries,
    loadDiagnostics: () => withTexts(import('./diagnostics-list.js')),
  })
  const modelStatus = createModelStatus({
    current,
    searchBox,
    loadPanel: () => withTexts(import('./search/models-panel.js')),
  })

  const context: PageContext = {
    get library() {
      if (!current.library) throw new Error('No library is open')
      return current.library
    },
    get location() {
      if (!current.location) throw new Error('No library is open')
      return current.location
    },
    samples: SAMPLES,
    message: searchBox.message,
    answeredMessage: () =>
      searchBox.message().trim() ||
      (current.location?.kind === 'samples' ? searchBox.demonstrated() : ''),
    setMessage(message) {
      // In a narrow window the search box is hidden while details are open, so it cannot take the focus.
      if (byId('search', HTMLElement).offsetParent === null) goToSearch()
      searchBox.setMessage(message)
    },
    onSearch: (listener, signal) => searches.addEventListener('search', listener, { signal }),
    prepareModel,
    redirectDrops: createDropZone(entries => page.open({ kind: 'drop', entries }), {
      isRedirected: () => parseViewHash(location.hash) === 'installed',
    }),
    addLibrary: () =>
      void run(
        loadOtherLibraries().then(({ askForMore }) => askForMore(page)),
        'error',
      ),
    openOwnSkill: id => void run(openOwnSkill(id), 'error'),
  }
  const details = createDetails({
    context,
    searchBox,
    loadPanel: () => withTexts(import('./details-panel.js')),
  })
  const opening = createOpening({ current, searchBox, details, libraryStatus })

  // From here on, the parts call each other.

  if (parseMessage(location.hash) !== '') {
    // Not while the page loads without a message: the user may have typed one already.
    searchBox.restore(parseMessage(location.hash))
  }
  markEntry()
  // Buttons are there before the texts.
  addListeners()
  await nextTask()
  // The library is fetched while the texts load.
  await Promise.all([textsLoaded, opening.openFromUrl()])

  // The model

  async function prepareModel(messages: readonly string[]): Promise<void> {
    await current.upgraded
    if (current.modelState === 'in-use') {
      await (await import('./library/bundled-model.js')).prepareModel(messages)
    }
  }

  /** For use offline: the part of the model for the language of a message. */
  async function keepLanguage(message: string): Promise<void> {
    await current.upgraded
    await whenIdle()
    if (current.modelState !== 'in-use') return
    const { keepLanguage } = await import('./library/bundled-model.js')
    keepLanguage(message)
  }

  async function openOwnSkill(id: string): Promise<void> {
    if (current.location?.kind !== 'samples') {
      await opening.open({ kind: 'samples' }, { byUser: true })
    }
    goToSkill(id)
  }

  // Events

  function addListeners(): void {
    listen({
      onView: followUrl,
      onHistory() {
        searchBox.restore(followMessage(searchBox.message()))
        const { address, folder } = parseLibraryQuery(location.search)
        const open = queryOf(current.location)
        if (address !== open.address || folder !== open.folder) {
          void run(opening.openFromUrl(), 'error')
        }
      },
      isOpen: () => details.target !== undefined,
      onModels: modelStatus.openPanel,
      onRepository: repository => page.open({ kind: 'github', repository }),
      buttons: {
        'open-library': async () => (await loadOtherLibraries()).askForLibrary(page),
        language: changeLanguage,
        'copy-install': async () => (await loadCopy()).copyInstall(),
        'copy-link': async () => (await loadCopy()).copyLink(current.library, current.location),
      },
    })
  }

  async function followUrl(): Promise<void> {
    if (current.library) await details.followUrl()
  }

  async function changeLanguage(): Promise<void> {
    await textsLoaded
    await loadTexts(language === 'en' ? 'zh' : 'en')
    remember('language', language)
    replaceLanguage(language)
    writeLayout()
    await run(libraryStatus.update(), 'diagnostics')
    await run(libraryStatus.redrawError(), 'error')
    await run(modelStatus.redrawPanel(), 'models-panel')
    await run(showWays(), 'ways')
    if (current.library) await run(details.followUrl({ quiet: true }), 'details')
  }

  /** Shows the code below the first screen once the first answers are there. */
  async function showWays(): Promise<void> {
    const { showWays } = await withTexts(import('./ways/ways.js'))
    showWays(() => searchBox.message().trim() || searchBox.demonstrated())
  }

  /** Loads a module together with the texts that it needs. */
  async function withTexts<Module>(module: Promise<Module>): Promise<Module> {
    const [loaded] = await Promise.all([module, textsLoaded.then(loadMoreTexts)])
    return loaded
  }

  /** Loads what must not slow down the first answers: the examples, then the files for offline use. */
  async function loadTheRest(): Promise<void> {
    await whenIdle()
    await run(showWays(), 'ways')
    await whenIdle()
    await enableOffline().catch(() => {})
  }

  /** If the page works online only, the footer does not claim otherwise. */
  async function enableOffline(): Promise<void> {
    const { enableOffline } = await import('./offline/register.js')
    await enableOffline(SAMPLES).then(footer.markOffline, () => {})
  }
}

void run(start(), 'error')
