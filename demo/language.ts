import { remember, remembered } from './choice.js'
import type { Language } from './texts.js'

/** The language that was chosen on this page before, else the first of the browser's that the page speaks. */
export function preferredLanguage(): Language {
  const wanted = [remembered('language'), ...navigator.languages].map(name => name?.slice(0, 2).toLowerCase())
  return wanted.find(name => name === 'en' || name === 'zh') ?? 'en'
}

export function rememberLanguage(language: Language): void {
  remember('language', language)
}
