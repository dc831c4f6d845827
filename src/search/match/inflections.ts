import type { InflectionData, SpacedLanguage } from '../../core/text/language/language.js'
import { SPACED_LANGUAGES } from '../../core/text/language/matching.js'

/** Endings that follow the same stem, and the minimum length of that stem. `''` is the stem itself. */
interface Paradigm {
  endings: readonly string[]
  minStem: number
}

/** Inflections of nouns, adjectives and verbs. */
interface LanguageParadigms {
  all: readonly Paradigm[]
  /** Only in messages of the language. */
  own: readonly Paradigm[]
}

const PARADIGMS = new Map<string, LanguageParadigms>(
  Object.entries(SPACED_LANGUAGES).map(([language, { inflections, ownInflections = [] }]) => [
    language,
    { all: inflections.map(paradigm), own: ownInflections.map(paradigm) },
  ]),
)
/** In their order. */
const LATIN = [...PARADIGMS.keys()].filter(language => language !== 'ru')

function paradigm({ minStem, endings }: InflectionData): Paradigm {
  return { endings: endings.split(' ').map(ending => (ending === '-' ? '' : ending)), minStem }
}

const FIRST_CYRILLIC = 0x0400
const LAST_CYRILLIC = 0x04ff
const DOUBLED = /([bdgklmnprt])\1$/
const SHORT_SYLLABLE = /[^aeiou][aeiou][bdgklmnprt]$/
/** English words in -s that are not the plural of another word. */
const NOT_PLURAL = new Set(['news'])

export interface Inflections {
  /** The longest text that all forms start with. */
  prefix: string
  forms: ReadonlySet<string>
  /** Length of the longest form. */
  longest: number
}

/**
 * Lists the inflected forms of a word, without the word itself. Most do not exist; the library decides.
 * @param languages Languages of the message; empty for all.
 * @returns `undefined` for a word of another script or with digits.
 */
export function inflect(
  word: string,
  languages: readonly SpacedLanguage[],
): Inflections | undefined {
  const unit = word.charCodeAt(0)
  const isCyrillic = unit >= FIRST_CYRILLIC && unit <= LAST_CYRILLIC
  if (NOT_PLURAL.has(word) || !(isCyrillic ? /^[а-яё]+$/ : /^[a-z]+$/).test(word)) return undefined
  const forms = new Set<string>()
  let prefix = word
  const addForms = (stem: string, endings: readonly string[]): void => {
    if (stem.length < prefix.length) prefix = stem
    for (const ending of endings) forms.add(stem + ending)
  }
  const paradigms = isCyrillic ? (PARADIGMS.get('ru')?.all ?? []) : latinParadigms(languages)
  for (const { endings, minStem } of paradigms) {
    for (const ending of endings) {
      const stemLength = word.length - ending.length
      if (stemLength >= minStem && word.endsWith(ending)) {
        addForms(word.slice(0, stemLength), endings)
      }
    }
  }
  if (!isCyrillic && (languages.length === 0 || languages.includes('en'))) {
    const [, stem] = /^(.{3,})(?:ed|ing)$/.exec(word) ?? []
    if (stem && DOUBLED.test(stem)) addForms(stem.slice(0, -1), ['', 's'])
    if (SHORT_SYLLABLE.test(word)) addForms(word, [`${word.at(-1)}ed`, `${word.at(-1)}ing`])
  }
  forms.delete(word)
  return forms.size > 0
    ? { prefix, forms, longest: Math.max(...[...forms].map(form => form.length)) }
    : undefined
}

/** @param languages Languages of the message; empty for all. */
function latinParadigms(languages: readonly SpacedLanguage[]): readonly Paradigm[] {
  const known = languages.filter(language => language !== 'ru')
  const paradigms = (known.length > 0 ? known : LATIN).flatMap(
    language => PARADIGMS.get(language) ?? [],
  )
  const all = paradigms.flatMap(one => one.all)
  return known.length > 0 ? [...all, ...paradigms.flatMap(one => one.own)] : all
}
