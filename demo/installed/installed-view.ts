import type { SkillSummary } from 'skillshelf'
import type { Library, PageContext } from '../context.js'
import type { DetailsContent } from '../details-content.js'
import { make, makeButton } from '../dom.js'
import { errorAlert, errorText } from '../library/error-notice.js'
import { filePicker, folderPicker } from '../library/file-picker.js'
import type { Folder } from '../library/folder.js'
import { type PageError, readDrop } from '../library/open-library.js'
import { openInstalledLibrary } from '../library/storage.js'
import { nameOf } from '../names.js'
import { remember } from '../preferences.js'
import { showProgress } from '../progress.js'
import { saveAs } from '../save-as.js'
import { texts } from '../texts.js'
import { installedList } from './installed-list.js'
import {
  exportSkills,
  installFolder,
  type RemovedSkill,
  removeSkill,
  restoreSkill,
  storageError,
  storageUsage,
} from './installed-skills.js'

/** The skill that was removed last. Undo works until the page is closed, even if the view was closed in between. */
let removed: RemovedSkill | undefined

/** The installed skills, with controls to add, remove and export them. */
export function installedView(
  context: PageContext,
  _: unknown,
  signal: AbortSignal,
): DetailsContent {
  const labels = texts.installed
  const progress = make('div')
  const errors = make('div')
  const status = make('p', { role: 'status' })
  const undoStatus = make('p', { role: 'status' })
  const usage = make('p', { class: 'muted' })
  const empty = make(
    'div',
    { class: 'empty', hidden: '' },
    make('p', {}, labels.empty),
    make('p', { class: 'muted' }, labels.emptyHint),
  )
  const onPick = (folder: Folder): void => void add(folder.name, async () => folder)
  const exportButton = makeButton(labels.export, () => void exportAll())
  const actions = make(
    'div',
    { class: 'buttons', hidden: '' },
    ...filePicker({ id: 'install-files', text: labels.addFiles, onPick }),
    ...folderPicker({ id: 'install-folder', text: labels.addFolder, onPick }),
    exportButton,
  )
  const list = installedList({ open: context.openOwnSkill, remove }, signal)
  let library: Library | undefined

  const showError = (error: PageError): void => {
    const alert = errorAlert(error)
    errors.replaceChildren(alert)
    alert.focus()
  }
  /** Runs an action and shows its error. */
  const run = async (where: string, action: () => Promise<void>): Promise<void> => {
    errors.replaceChildren()
    status.replaceChildren()
    try {
      await action()
    } catch (error) {
      showError(storageError(error, where, 'storage-failed'))
    }
  }

  const draw = async (): Promise<void> => {
    if (!library) return
    const { skills } = library.snapshot
    list.show(library)
    empty.hidden = skills.length > 0
    list.element.hidden = exportButton.hidden = usage.hidden = skills.length === 0
    const used = await storageUsage().catch(() => undefined)
    usage.textContent = used ? labels.storage(skills.length, used.bytes, used.persisted) : ''
  }
  /** Draws the change without waiting for the store's notification. */
  const refresh = async (): Promise<void> => {
    await library?.refresh()
    await draw()
  }

  async function add(name: string, getFolder: GetFolder): Promise<void> {
    const controller = new AbortController()
    const { signal } = controller
    const { showFound, showRead } = showProgress(progress, texts.install.installing(name), () =>
      controller.abort(),
    )
    const hideProgress = (): void => {
      const focused = progress.contains(document.activeElement)
      progress.replaceChildren()
      if (focused) actions.querySelector('button')?.focus()
    }
    await run(name, async () => {
      try {
        const folder = await getFolder({ signal, onFound: showFound })
        const result =
          'error' in folder ? folder : await installFolder(folder, { signal, onRead: showRead })
        hideProgress()
        if ('error' in result) return showError(result.error)
        status.textContent = texts.install.done(result)
        await refresh()
      } catch (error) {
        hideProgress()
        if (!signal.aborted) throw error
      }
    })
  }

  async function remove(skill: SkillSummary): Promise<void> {
    const name = nameOf(skill)
    await run(name, async () => {
      if (!library) return
      removed = await removeSkill(library, skill)
      await refresh()
      showRemoved(name)
      const next = undoStatus.querySelector('button') ?? actions.querySelector('button')
      next?.focus()
    })
  }

  const showRemoved = (name: string): void => {
    const message = labels.removed(make('strong', { dir: 'auto' }, name))
    undoStatus.replaceChildren(
      ...message,
      ...(removed ? [' ', makeButton(labels.undo, () => void undo())] : []),
    )
  }

  async function undo(): Promise<void> {
    const skill = removed
    if (!skill) return
    await run(skill.name, async () => {
      await restoreSkill(skill)
      removed = undefined
      undoStatus.replaceChildren()
      status.replaceChildren(...labels.restored(make('strong', { dir: 'auto' }, skill.name)))
      await refresh()
      list.focus(skill.id)
    })
  }

  async function exportAll(): Promise<void> {
    exportButton.disabled = true
    await run(labels.title, async () => {
      status.textContent = labels.exporting
      saveAs(new Blob([await exportSkills()], { type: 'application/zip' }), 'my-skills.zip')
      status.replaceChildren()
    })
    exportButton.disabled = false
  }

  const start = async (): Promise<void> => {
    let opened: Library
    try {
      opened = await openInstalledLibrary(signal)
    } catch (error) {
      if (signal.aborted) return
      errors.replaceChildren(
        make(
          'div',
          { class: 'notice' },
          ...errorText(storageError(error, labels.title, 'storage-failed')),
        ),
      )
      return
    }
    library = opened
    // Repairs the preference if a tab was closed between installing and remembering.
    if (opened.snapshot.skills.length > 0) remember('installed', 'yes')
    signal.addEventListener('abort', () => void opened.close())
    opened.on('change', () => void draw())
    actions.hidden = false
    if (removed) showRemoved(removed.name)
    await draw()
  }
  void start()
  context.redirectDrops(
    {
      label: labels.drop,
      onDrop: entries => void add(entries[0]?.name ?? '', options => readDrop(entries, options)),
    },
    signal,
  )

  return {
    title: labels.title,
    content: [
      make('h2', { tabindex: '-1' }, labels.title),
      make('p', { class: 'lead' }, labels.lead),
      actions,
      make('div', { class: 'installed-status' }, progress, errors, status, undoStatus),
      empty,
      list.element,
      usage,
    ],
  }
}

type GetFolder = (options: {
  signal: AbortSignal
  onFound(files: number): void
}) => Promise<Folder | { error: PageError }>
