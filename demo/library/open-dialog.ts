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
 * Asks which library to open: one field for an address, a repository, a path, and what is dropped, and a button for the samples.
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
    placeholder: labels.placeholder,
    'aria-describedby': 'address-hint',
    required: '',
  })
  const onPick = (folder: Folder): void => submit({ kind: 'folder', folder })
  const hint = make('p', { id: 'address-hint', class: 'muted', role: 'status' }, labels.hint)
  const [chooseFolder, ...folderInput] = folderPicker({
    id: 'folder',
    text: labels.chooseFolder,
    describedBy: 'folder-hint',
    onPick,
  })
  const form = make(
    'form',
    { class: 'drop-field', novalidate: '' },
    make('label', { for: 'address' }, labels.address),
    make(
      'div',
      { class: 'row' },
      address,
      make('button', { type: 'submit', class: 'button primary' }, labels.open),
    ),
    hint,
    make(
      'div',
      { class: 'buttons' },
      chooseFolder,
      ...folderInput,
      ...filePicker({ id: 'files', text: labels.chooseFiles, describedBy: 'folder-hint', onPick }),
    ),
  )
  const openRepository = (name: string): void => submit({ kind: 'github', repository: name })
  const dialog = make(
    'dialog',
    { class: 'open-dialog', 'aria-labelledby': 'open-title' },
    make('h2', { id: 'open-title' }, labels.title),
    make('p', { class: 'private' }, labels.private),
    form,
    make(
      'div',
      { class: 'chips', role: 'group', 'aria-label': labels.knownRepositories },
      ...REPOSITORIES.map(name => makeButton(name, () => openRepository(name), { class: 'chip' })),
    ),
    make('p', { id: 'folder-hint', class: 'muted' }, labels.folderHint),
    make('p', { class: 'muted' }, labels.addressHint),
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
    address.setCustomValidity(value === '' ? labels.addressRequired : '')
    if (!form.reportValidity()) return
    if (PATH.test(value)) {
      hint.textContent = labels.path
      if (chooseFolder instanceof HTMLElement) chooseFolder.click()
      return
    }
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
