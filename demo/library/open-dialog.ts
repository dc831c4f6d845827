import { make, makeButton } from '../dom.js'
import { texts } from '../texts.js'
import { filePicker, folderPicker } from './file-picker.js'
import type { Folder } from './folder.js'
import type { OpenRequest } from './open-library.js'
import { REPOSITORIES } from './repositories.js'

const GITHUB_URL = /^(?:https?:\/\/)?(?:www\.)?github\.com\//i

/**
 * Asks which library to open: an address, a folder, an archive, or the samples.
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
    placeholder: 'https://example.com/skills/',
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
  )
  const repository = make('input', {
    id: 'repository',
    type: 'text',
    autocapitalize: 'off',
    autocomplete: 'off',
    spellcheck: 'false',
    placeholder: 'owner/name',
    'aria-describedby': 'repository-hint',
    required: '',
  })
  const openRepository = (name: string): void => submit({ kind: 'github', repository: name })
  const repositoryForm = make(
    'form',
    { novalidate: '', class: 'repository' },
    make('label', { for: 'repository' }, labels.repository),
    make(
      'div',
      { class: 'row' },
      repository,
      make('button', { type: 'submit', class: 'button' }, labels.open),
    ),
    make(
      'div',
      { class: 'chips', role: 'group', 'aria-label': labels.knownRepositories },
      ...REPOSITORIES.map(name => makeButton(name, () => openRepository(name), { class: 'chip' })),
    ),
    make('p', { id: 'repository-hint', class: 'muted' }, labels.repositoryHint),
  )
  const onPick = (folder: Folder): void => submit({ kind: 'folder', folder })
  const dialog = make(
    'dialog',
    { class: 'open-dialog', 'aria-labelledby': 'open-title' },
    make('h2', { id: 'open-title' }, labels.title),
    make('p', { class: 'private' }, labels.private),
    form,
    repositoryForm,
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
    address.setCustomValidity(value === '' ? labels.addressRequired : '')
    if (!form.reportValidity()) return
    if (GITHUB_URL.test(value)) openRepository(value)
    else submit({ kind: 'address', address: value })
  })
  repositoryForm.addEventListener('submit', event => {
    event.preventDefault()
    const value = repository.value.trim()
    repository.setCustomValidity(value === '' ? labels.repositoryRequired : '')
    if (repositoryForm.reportValidity()) openRepository(value)
  })
  for (const input of [address, repository]) {
    input.addEventListener('input', () => input.setCustomValidity(''))
  }
  dialog.addEventListener('close', () => dialog.remove())
  // A click on the backdrop closes the dialog, as Escape does.
  dialog.addEventListener('click', event => {
    if (event.target === dialog) dialog.close()
  })
  document.body.append(dialog)
  dialog.showModal()
  address.focus()
}
