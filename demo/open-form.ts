import { make } from './dom.js'
import type { Folder } from './folder.js'
import type { Wanted } from './opening.js'
import { filePicker, folderPicker } from './picker.js'
import { texts } from './texts.js'

/** Asks which library to open: an address, a folder, files, or the samples again. The browser keeps the focus in it, and gives it back. */
export function openForm(open: (wanted: Wanted) => void, { samples }: { samples: boolean }): void {
  const say = texts.open
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
    make('label', { for: 'address' }, say.address),
    make('div', { class: 'row' }, address, make('button', { type: 'submit', class: 'button primary' }, say.open)),
    make('p', { id: 'address-hint', class: 'quiet' }, say.addressHint),
  )
  const take = (folder: Folder): void => settle({ kind: 'folder', folder })
  const folder = folderPicker({ id: 'folder', text: say.choose, hint: 'folder-hint', take })
  const files = filePicker({ id: 'files', text: say.chooseFiles, hint: 'folder-hint', take })
  const close = make('button', { type: 'button', class: 'button' }, say.close)
  const back = make('button', { type: 'button', class: 'button', hidden: samples ? '' : undefined }, say.samples)
  const dialog = make(
    'dialog',
    { class: 'open-form', 'aria-labelledby': 'open-title' },
    make('h2', { id: 'open-title' }, say.title),
    make('p', { class: 'private' }, say.private),
    form,
    make('p', { class: 'or' }, say.folder),
    make('div', { class: 'buttons' }, ...folder, ...files),
    make('p', { id: 'folder-hint', class: 'quiet' }, say.folderHint),
    make('p', { class: 'buttons end' }, back, close),
  )
  const settle = (wanted: Wanted): void => {
    dialog.close()
    open(wanted)
  }
  form.addEventListener('submit', event => {
    event.preventDefault()
    const wanted = address.value.trim()
    address.setCustomValidity(wanted === '' ? say.noAddress : '')
    if (form.reportValidity()) settle({ kind: 'address', address: wanted })
  })
  address.addEventListener('input', () => address.setCustomValidity(''))
  back.addEventListener('click', () => settle({ kind: 'samples' }))
  close.addEventListener('click', () => dialog.close())
  dialog.addEventListener('close', () => dialog.remove())
  // Beside it: as light as Escape.
  dialog.addEventListener('click', event => {
    if (event.target === dialog) dialog.close()
  })
  document.body.append(dialog)
  dialog.showModal()
  address.focus()
}
