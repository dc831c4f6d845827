/** What a person chose on this page, for the next visit. Where storage is forbidden a choice lasts as long as the page. */

/** `kept`, `copied`: whether there are skills in IndexedDB, which itself cannot say so at once, or a copy of the samples. */
type Choice = 'language' | 'model' | 'kept' | 'copied'

export function remember(choice: Choice, value: string | undefined): void {
  if (remembered(choice) === value) return
  try {
    if (value === undefined) localStorage.removeItem(keyOf(choice))
    else localStorage.setItem(keyOf(choice), value)
    // The browser tells the other tabs.
    dispatchEvent(new StorageEvent('storage', { key: keyOf(choice) }))
  } catch {}
}

export function remembered(choice: Choice): string | undefined {
  try {
    return localStorage.getItem(keyOf(choice)) ?? undefined
  } catch {
    return undefined
  }
}

/** Whether the page's own library is in this browser, in part or whole. */
export function isKept(): boolean {
  return (remembered('kept') ?? remembered('copied')) !== undefined
}

/** Calls back when another tab, or this one, has chosen. */
export function onChoice(choice: Choice, listener: () => void): void {
  addEventListener('storage', ({ key }) => key === keyOf(choice) && listener())
}

function keyOf(choice: Choice): string {
  return `skillshelf.${choice}`
}
