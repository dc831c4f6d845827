import type { SkillSummary } from 'skillshelf'
import { remember } from './choice.js'
import type { Desk, Library } from './desk.js'
import { make } from './dom.js'
import type { Folder } from './folder.js'
import { keep, storeTrouble } from './keeping.js'
import { exportKept, putBack, type Removed, removeKept, roomOfKept } from './kept.js'
import { mineList } from './mine-list.js'
import { lookThrough, type Trouble } from './opening.js'
import { filePicker, folderPicker } from './picker.js'
import { showProgress } from './progress.js'
import { openKept } from './store.js'
import { texts } from './texts.js'
import { toldTrouble } from './trouble.js'

/** What was removed last can be put back for as long as the page is open, in this view or a later one. */
let removed: Removed | undefined

/** The skills that are kept in this browser: to be looked at, added to, removed, taken along. */
export function mineView(desk: Desk, _: unknown, signal: AbortSignal): { title: string; content: Node[] } {
  const say = texts.mine
  const progress = make('div')
  const trouble = make('div')
  const status = make('p', { role: 'status' })
  const gone = make('p', { role: 'status' })
  const room = make('p', { class: 'quiet' })
  const empty = make(
    'div',
    { class: 'empty', hidden: '' },
    make('p', {}, say.empty),
    make('p', { class: 'quiet' }, say.emptyHow),
  )
  const take = (folder: Folder): void => void add(folder.name, async () => folder)
  const exporter = button(say.export, exportAll)
  const actions = make(
    'div',
    { class: 'buttons', hidden: '' },
    ...filePicker({ id: 'mine-files', text: say.addFiles, take }),
    ...folderPicker({ id: 'mine-folder', text: say.addFolder, take }),
    exporter,
  )
  const list = mineList({ open: desk.openOwn, remove }, signal)
  let library: Library | undefined

  const complain = (what: Trouble): void => {
    const view = make('div', { class: 'trouble', role: 'alert', tabindex: '-1' }, ...toldTrouble(what))
    trouble.replaceChildren(view)
    view.focus()
  }
  /** Takes away what was said of the last attempt, and says what goes wrong with this one. */
  const attempt = async (where: string, work: () => Promise<void>): Promise<void> => {
    trouble.replaceChildren()
    status.replaceChildren()
    try {
      await work()
    } catch (error) {
      complain(storeTrouble(error, where, 'not-done'))
    }
  }

  const draw = async (): Promise<void> => {
    if (!library) return
    const { skills } = library.snapshot
    list.show(library)
    empty.hidden = skills.length > 0
    list.element.hidden = exporter.hidden = room.hidden = skills.length === 0
    const used = await roomOfKept().catch(() => undefined)
    room.textContent = used ? say.room(skills.length, used.bytes, used.persisted) : ''
  }
  /** At once, rather than when the store has told everybody. */
  const follow = async (): Promise<void> => {
    await library?.refresh()
    await draw()
  }

  async function add(name: string, gather: Gather): Promise<void> {
    const stop = new AbortController()
    const { found, read } = showProgress(progress, say.adding(name), () => stop.abort())
    const end = (): void => {
      const focused = progress.contains(document.activeElement)
      progress.replaceChildren()
      if (focused) actions.querySelector('button')?.focus()
    }
    await attempt(name, async () => {
      try {
        const folder = await gather({ signal: stop.signal, onFound: found })
        const kept = 'trouble' in folder ? folder : await keep(folder, { signal: stop.signal, onProgress: read })
        end()
        if ('trouble' in kept) return complain(kept.trouble)
        status.textContent = texts.keep.done(kept)
        await follow()
      } catch (error) {
        end()
        if (!stop.signal.aborted) throw error
      }
    })
  }

  async function remove(skill: SkillSummary): Promise<void> {
    const { name, displayName = name } = skill
    await attempt(displayName, async () => {
      if (!library) return
      removed = await removeKept(library, skill)
      await follow()
      sayGone(displayName)
      const next = gone.querySelector('button') ?? actions.querySelector('button')
      next?.focus()
    })
  }

  const sayGone = (name: string): void => {
    const said = say.removed(make('strong', { dir: 'auto' }, name))
    gone.replaceChildren(...said, ...(removed ? [' ', button(say.undo, undo)] : []))
  }

  async function undo(): Promise<void> {
    const back = removed
    if (!back) return
    await attempt(back.name, async () => {
      await putBack(back)
      removed = undefined
      gone.replaceChildren()
      status.replaceChildren(...say.restored(make('strong', { dir: 'auto' }, back.name)))
      await follow()
      list.focus(back.id)
    })
  }

  async function exportAll(): Promise<void> {
    exporter.disabled = true
    await attempt(say.title, async () => {
      status.textContent = say.exporting
      download(await exportKept(), signal)
      status.replaceChildren()
    })
    exporter.disabled = false
  }

  const start = async (): Promise<void> => {
    try {
      library = await openKept(signal)
    } catch (error) {
      if (signal.aborted) return
      trouble.replaceChildren(
        make('div', { class: 'trouble' }, ...toldTrouble(storeTrouble(error, say.title, 'not-done'))),
      )
      return
    }
    const opened = library
    // Told once more, should a tab have ended before it could.
    if (opened.snapshot.skills.length > 0) remember('kept', 'yes')
    signal.addEventListener('abort', () => void opened.close())
    opened.on('change', () => void draw())
    actions.hidden = false
    if (removed) sayGone(removed.name)
    desk.divertDrops(
      { sign: say.drop, take: entries => void add(entries[0]?.name ?? '', at => lookThrough(entries, at)) },
      signal,
    )
    await draw()
  }
  void start()

  return {
    title: say.title,
    content: [
      make('h2', { tabindex: '-1' }, say.title),
      make('p', { class: 'lead' }, say.lead),
      actions,
      make('div', { class: 'mine-says' }, progress, trouble, status, gone),
      empty,
      list.element,
      room,
    ],
  }
}

/** Looks at what is to be kept. */
type Gather = (at: { signal: AbortSignal; onFound(amount: number): void }) => Promise<Folder | { trouble: Trouble }>

function button(text: string, act: () => Promise<void>): HTMLButtonElement {
  const made = make('button', { type: 'button', class: 'button' }, text)
  made.addEventListener('click', () => void act())
  return made
}

/** @param signal Ends the life of what the browser may still read. */
function download(bytes: Uint8Array<ArrayBuffer>, signal: AbortSignal): void {
  const href = URL.createObjectURL(new Blob([bytes], { type: 'application/zip' }))
  signal.addEventListener('abort', () => URL.revokeObjectURL(href), { once: true })
  make('a', { href, download: 'my-skills.zip' }).click()
}
