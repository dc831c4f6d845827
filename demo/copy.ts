/** The two buttons of every page that copy. Loaded with the first click. */
import { byId } from './dom.js'
import { language, texts } from './texts.js'
import { replaceLanguage, writeMessage } from './url.js'

const status = byId('copied', HTMLElement)

/**
 * Copies a link to what the page shows.
 * @param isLocal Whether the open library is a folder, which a link cannot open.
 */
export async function copyLink(isLocal: boolean): Promise<void> {
  writeMessage()
  replaceLanguage(language)
  status.textContent = (await write(location.href))
    ? texts.link[isLocal ? 'local' : 'copied']
    : texts.link.blocked
}

/** Copies the command that installs the library, or selects it. */
export async function copyInstall(): Promise<void> {
  const command = byId('install', HTMLElement)
  if (await write(command.textContent ?? '')) {
    byId('copy-install', HTMLElement).textContent = texts.copied
  } else getSelection()?.selectAllChildren(command)
}

/** @returns `false` if the clipboard is blocked, or missing, as it is in insecure contexts */
async function write(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

function clear(): void {
  status.textContent = ''
}

document.addEventListener('input', clear)
window.addEventListener('popstate', clear)
