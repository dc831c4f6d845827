/** The two buttons of every page that copy. Loaded with the first click. */
import { INSTALLED, type Library, type LibraryLocation } from './context.js'
import { byId } from './dom.js'
import { language, texts } from './texts.js'
import { replaceLanguage, writeMessage } from './url.js'

const status = byId('copied', HTMLElement)

/** Copies a link to what the page shows, and says what the link lacks. */
export async function copyLink(
  library: Library | undefined,
  shown: LibraryLocation | undefined,
): Promise<void> {
  writeMessage()
  replaceLanguage(language)
  status.textContent = (await write(location.href))
    ? copiedText(library, shown)
    : texts.link.blocked
}

function copiedText(library: Library | undefined, shown: LibraryLocation | undefined): string {
  const parts = shown?.kind === 'several' ? shown.parts : [shown]
  const local = parts.find(part => part?.kind === 'folder')
  if (local) {
    const { name, archives } = local.folder
    if (shown?.kind === 'several') return texts.link.part(name)
    return archives.length > 0 ? texts.link.archive(name) : texts.link.folder(name)
  }
  const installed =
    library?.snapshot.skills.filter(({ id }) => id.startsWith(`${INSTALLED}/`)).length ?? 0
  return installed > 0 ? texts.link.installed(installed) : texts.link.copied
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
