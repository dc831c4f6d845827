import { make, makeButton } from '../dom.js'
import { texts } from '../texts.js'
import { isGithubUrl } from '../url.js'
import { filePicker, folderPicker } from './file-picker.js'
import type { Folder } from './folder.js'
import type { OpenRequest } from './open-library.js'
import { REPOSITORIES } from './repositories.js'

/** `owner/name`, perhaps with a folder and a branch: owners have no dots, and hosts have one or a port. */
const REPOSITORY = /^(?!localhost(?:\/|$))[^./:]+(?:\/|$)/i
/** A path on a computer, which a page cannot read. */
const PATH = /^(?:[~.]{0,2}[/\\]|[a-z]:[/\\]|file:)/i

/**
 * Asks which library to open: an address or a repository, a folder, an archive, or the samples.
 * @param options.isSamples Whether the samples are open already.
 */
export function showOpenDialog(
  open: (request: OpenRequest) => void,
  { isSamples }: { isSamples: boolean },
): void {
  const labels = texts.openDialog
  const address = make('input', {
    id: 'address',
    type: 'text',
    inputmode: 'url',
    autocomplete: 'url',
    autocapitalize: 'off',
    spellcheck: 'false',
    placeholder: 'owner/name',
    'aria-describedby': 'address-hint',
    required: '',
  })
  const form = make(
    'form',
    { novalidate: '' },
    make('label', { for: 'address' }, labels.address),
    make(
      'div',
      { class: 'row' },
      address,
      make('button', { type: 'submit', class: 'button primary' }, labels.open),
    ),
    make('p', { id: 'address-hint', class: 'muted' }, labels.addressHint),
    make(
      'div',
      { class: 'chips', role: 'group', 'aria-label': labels.knownRepositories },
      ...REPOSITORIES.map(name => makeButton(name, () => openRepository(name), { class: 'chip' })),
    ),
  )
  const openRepository = (name: string): void => submit({ kind: 'github', repository: name })
  const onPick = (folder: Folder): void => submit({ kind: 'folder', folder })
  const dialog = make(
    'dialog',
    { class: 'open-dialog', 'aria-labelledby': 'open-title' },
    make('h2', { id: 'open-title' }, labels.title),
    make('p', { class: 'private' }, labels.private),
    form,
    make('p', { class: 'or' }, labels.folder),
    make(
      'div',
      { class: 'buttons' },
      ...folderPicker({
        id: 'folder',
        text: labels.chooseFolder,
        describedBy: 'folder-hint',
        onPick,
      }),
      ...filePicker({ id: 'files', text: labels.chooseFiles, describedBy: 'folder-hint', onPick }),
    ),
    make('p', { id: 'folder-hint', class: 'muted' }, labels.folderHint),
    make(
      'p',
      { class: 'buttons end' },
      !isSamples && makeButton(labels.samples, () => submit({ kind: 'samples' })),
      makeButton(labels.close, () => dialog.close()),
    ),
  )
  const submit = (request: OpenRequest): void => {
    dialog.close()
    open(request)
  }
  form.addEventListener('submit', event => {
    event.preventDefault()
    const value = address.value.trim()
    const isPath = PATH.test(value)
    address.setCustomValidity(value === '' ? labels.addressRequired : isPath ? labels.path : '')
    if (!form.reportValidity()) return
    if (isGithubUrl(value) || REPOSITORY.test(value)) openRepository(value)
    else submit({ kind: 'address', address: value })
  })
  address.addEventListener('input', () => address.setCustomValidity(''))
  // Files can be dropped on the dialog as on the page.
  const closing = new AbortController()
  document.addEventListener('drop', () => dialog.close(), { signal: closing.signal })
  dialog.addEventListener('close', () => closing.abort())
  dialog.addEventListener('close', () => dialog.remove())
  // A click on the backdrop closes the dialog, as Escape does.
  dialog.addEventListener('click', event => {
    if (event.target === dialog) dialog.close()
  })
  document.body.append(dialog)
  dialog.showModal()
  address.focus()
}
