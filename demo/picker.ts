import { make } from './dom.js'
import { chosenFolder, type Folder, PICKED } from './folder.js'

interface Picker {
  /** Of the browser's own control, which is not shown. */
  id: string
  text: string
  /** Of what describes the button. */
  hint?: string
  take(folder: Folder): void
}

/** A button that has the browser ask for a folder. Some, of phones above all, cannot: there it stays away. */
export function folderPicker(picker: Picker): Node[] {
  const input = make('input', { type: 'file', id: picker.id, webkitdirectory: '', multiple: '', hidden: '' })
  return 'webkitdirectory' in input ? [buttonOf(input, picker), input] : []
}

/** A button that has the browser ask for archives, or for a SKILL.md. */
export function filePicker(picker: Picker): Node[] {
  const input = make('input', { type: 'file', id: picker.id, accept: PICKED, multiple: '', hidden: '' })
  return [buttonOf(input, picker), input]
}

function buttonOf(input: HTMLInputElement, { text, hint, take }: Picker): HTMLButtonElement {
  const button = make('button', { type: 'button', class: 'button', 'aria-describedby': hint }, text)
  button.addEventListener('click', () => input.click())
  input.addEventListener('change', () => {
    if (input.files?.length) take(chosenFolder(input.files))
    // The same may be chosen once more.
    input.value = ''
  })
  return button
}
