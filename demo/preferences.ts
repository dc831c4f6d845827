import type { Language } from './texts.js'

/**
 * `installed`: IndexedDB holds skills; `offlineCopy`: it holds a copy of the samples. IndexedDB cannot answer either synchronously.
 */
type Preference = 'language' | 'model' | 'installed' | 'offlineCopy'

/** Stores a preference in localStorage. Without access to storage it is not remembered. */
export function remember(preference: Preference, value: string | undefined): void {
  if (remembered(preference) === value) return
  const key = keyOf(preference)
  try {
    if (value === undefined) localStorage.removeItem(key)
    else localStorage.setItem(key, value)
    // The browser notifies other tabs only.
    dispatchEvent(new StorageEvent('storage', { key }))
  } catch {}
}

export function remembered(preference: Preference): string | undefined {
  try {
    return localStorage.getItem(keyOf(preference)) ?? undefined
  } catch {
    return undefined
  }
}

/** Whether IndexedDB holds installed skills or a copy of the samples. */
export function hasStoredSkills(): boolean {
  return (remembered('installed') ?? remembered('offlineCopy')) !== undefined
}

/** Calls `listener` when the preference changes in this tab or another. */
export function onPreference(preference: Preference, listener: () => void): void {
  addEventListener('storage', ({ key }) => key === keyOf(preference) && listener())
}

/** The language of the link, the remembered one, or the browser's first that the page supports. */
export function preferredLanguage(linked: string | undefined): Language {
  const candidates = [linked, remembered('language'), ...navigator.languages].map(name =>
    name?.slice(0, 2).toLowerCase(),
  )
  return candidates.find(name => name === 'en' || name === 'zh') ?? 'en'
}

function keyOf(preference: Preference): string {
  return `skillshelf.${preference}`
}
