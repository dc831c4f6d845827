import { make, makeButton } from '../dom.js'
import { ACCEPTED_FILES, chosenFolder, type Folder } from './folder.js'

interface PickerOptions {
  /** The id of the hidden file input. */
  id: string
  text: string
  /** The id of the element that describes the button. */
  describedBy?: string
  onPick(folder: Folder): void
}

/** A button that asks for a folder. Empty in browsers without folder inputs, such as those of most phones. */
export function folderPicker(options: PickerOptions): Node[] {
  const input = make('input', {
    type: 'file',
    id: options.id,
    webkitdirectory: '',
    multiple: '',
    hidden: '',
  })
  return 'webkitdirectory' in input ? [pickerButton(input, options), input] : []
}

/** A button that asks for archives or a SKILL.md. */
export function filePicker(options: PickerOptions): Node[] {
  const input = make('input', {
    type: 'file',
    id: options.id,
    accept: ACCEPTED_FILES,
    multiple: '',
    hidden: '',
  })
  return [pickerButton(input, options), input]
}

function pickerButton(
  input: HTMLInputElement,
  { text, describedBy, onPick }: PickerOptions,
): HTMLButtonElement {
  input.addEventListener('change', () => {
    if (input.files?.length) onPick(chosenFolder(input.files))
    // Without a reset, choosing the same files again fires no event.
    input.value = ''
  })
  return makeButton(text, () => input.click(), { 'aria-describedby': describedBy })
}
