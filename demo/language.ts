import type { Language } from './texts.js'

const KEY = 'skillshelf.language'

/** The language that was chosen on this page before, else the first of the browser's that the page speaks. */
export function preferredLanguage(): Language {
  const wanted = [remembered(), ...navigator.languages].map(name => name?.slice(0, 2).toLowerCase())
  return wanted.find(name => name === 'en' || name === 'zh') ?? 'en'
}

export function rememberLanguage(language: Language): void {
  try {
    localStorage.setItem(KEY, language)
  } catch {
    // Storage is forbidden: the choice lasts as long as the page.
  }
}

function remembered(): string | undefined {
  try {
    return localStorage.getItem(KEY) ?? undefined
  } catch {
    return undefined
  }
}
