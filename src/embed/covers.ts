/** Scripts of languages that are written in several at once. */
const MIXED: Readonly<Record<string, readonly string[]>> = {
  Hans: ['Hani'],
  Hant: ['Hani'],
  Jpan: ['Hani', 'Hira', 'Kana'],
  Kore: ['Hang', 'Hani'],
}
/** The share of a text's letters that must be of a model's scripts: a name in another script does no harm. */
const COVERED = 0.95

/** Whether a model of these languages can read a text, judged by the script that it is written in. */
export function coverage(languages: 'all' | readonly string[]): (text: string) => boolean {
  if (languages === 'all') return () => true
  const scripts = new Set(languages.flatMap(scriptsOf))
  if (scripts.size === 0) return () => false
  const known = new RegExp(`[${[...scripts].map(script => `\\p{Script=${script}}`).join('')}]`, 'u')
  return text => {
    let letters = 0
    let read = 0
    for (const [letter] of text.matchAll(/\p{L}/gu)) {
      letters++
      if (known.test(letter)) read++
    }
    return letters > 0 && read >= letters * COVERED
  }
}

/** The scripts of a BCP 47 language, as ISO 15924 has them: none where it is not known. */
function scriptsOf(language: string): readonly string[] {
  try {
    const { script } = new Intl.Locale(language).maximize()
    return script ? (MIXED[script] ?? [script]) : []
  } catch {
    return []
  }
}
