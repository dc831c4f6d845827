import { isEuropean } from './parts.js'

/** Languages that `isEuropean` tells from English. */
const EUROPEAN = ['es', 'de', 'fr', 'pt']
/** Scripts of languages that mix several. */
const MIXED_SCRIPTS: Readonly<Record<string, readonly string[]>> = {
  Hans: ['Hani'],
  Hant: ['Hani'],
  Jpan: ['Hani', 'Hira', 'Kana'],
  Kore: ['Hang', 'Hani'],
}
/** Share of a text's letters that must be in a supported script. Leaves room for a name in another script. */
const MIN_SHARE = 0.95

/**
 * Returns a test for texts that an embedder supports, judged by their script, and by frequent words of Spanish, German, French and Portuguese.
 * @param languages BCP 47 languages of the embedder.
 */
export function supportsLanguages(languages: 'all' | readonly string[]): (text: string) => boolean {
  if (languages === 'all') return () => true
  const scripts = new Set(languages.flatMap(scriptsOf))
  if (scripts.size === 0) return () => false
  const supported = new RegExp(`[${[...scripts].map(script => `\\p{Script=${script}}`).join('')}]`, 'u')
  const isEnglishOnly = !languages.some(language => EUROPEAN.includes(language.slice(0, 2)))
  return text => {
    if (isEnglishOnly && isEuropean(text)) return false
    let letters = 0
    let read = 0
    for (const [letter] of text.matchAll(/\p{L}/gu)) {
      letters++
      if (supported.test(letter)) read++
    }
    return letters > 0 && read >= letters * MIN_SHARE
  }
}

/** The ISO 15924 scripts of a BCP 47 language; empty for an unknown language. */
function scriptsOf(language: string): readonly string[] {
  try {
    const { script } = new Intl.Locale(language).maximize()
    return script ? (MIXED_SCRIPTS[script] ?? [script]) : []
  } catch {
    return []
  }
}
