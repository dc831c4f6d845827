import type { SpacedLanguage } from './function-words.js'

/** Endings that follow the same stem, and the minimum length of that stem. `''` is the stem itself. */
interface Paradigm {
  endings: readonly string[]
  minStem: number
}

function paradigm(minStem: number, endings: string): Paradigm {
  return { endings: endings.split(' ').map(ending => (ending === '-' ? '' : ending)), minStem }
}

/** Inflections of nouns, adjectives and verbs. Accents are folded before, so umlauts and ç need no rule. */
const PARADIGMS: Readonly<Record<SpacedLanguage, readonly Paradigm[]>> = {
  en: [paradigm(3, '- s es ed ing'), paradigm(3, 'e es ed ing'), paradigm(2, 'y ies ied ying')],
  es: [
    paradigm(3, '- s es'),
    paradigm(3, 'o a os as'),
    paradigm(3, 'z ces'),
    paradigm(3, 'ar o a as an ando ado ada ados adas e en'),
    paradigm(3, 'er ir o e en a an iendo ido ida idos idas'),
  ],
  de: [paradigm(3, '- e en n s es em'), paradigm(3, 'en e t et st te ten est'), paradigm(4, 'eln el elt ele')],
  fr: [paradigm(3, '- s x e es'), paradigm(3, 'er e es ez ent ee ees ant ons'), paradigm(3, 'al aux ale ales')],
  pt: [
    paradigm(3, '- s es'),
    paradigm(3, 'o a os as'),
    paradigm(3, 'ao oes aos aes'),
    paradigm(2, 'm ns'),
    paradigm(3, 'l is'),
    paradigm(3, 'ar o a am ando ado ada ados adas e em ei ou'),
    paradigm(3, 'er ir o e em a am endo indo ido ida idos idas'),
  ],
  ru: [
    paradigm(3, '- а я о е ы и у ю ь ой ей ом ем ам ям ами ями ах ях ов ев ью'),
    paradigm(3, 'ия ие ии ию ий ием иям иями иях'),
    paradigm(3, 'ый ий ой ая яя ое ее ые ие ого его ому ему ым им ых их ую юю ыми ими ом ем'),
    paradigm(3, 'ть ти л ла ло ли ю у ет ит ут ют ат ят ешь ишь ем им ете ите й йте'),
  ],
}

/** German plurals. In a message of another language, "poster" is not a form of "post". */
const GERMAN_ER = paradigm(3, '- er ern')
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
export function inflect(word: string, languages: readonly SpacedLanguage[]): Inflections | undefined {
  const unit = word.charCodeAt(0)
  const isCyrillic = unit >= FIRST_CYRILLIC && unit <= LAST_CYRILLIC
  if (NOT_PLURAL.has(word) || !(isCyrillic ? /^[а-яё]+$/ : /^[a-z]+$/).test(word)) return undefined
  const forms = new Set<string>()
  let prefix = word
  const addForms = (stem: string, endings: readonly string[]): void => {
    if (stem.length < prefix.length) prefix = stem
    for (const ending of endings) forms.add(stem + ending)
  }
  const paradigms = isCyrillic ? PARADIGMS.ru : latinParadigms(languages)
  for (const { endings, minStem } of paradigms) {
    for (const ending of endings) {
      const stem = word.slice(0, word.length - ending.length)
      if (stem.length >= minStem && word.endsWith(ending)) addForms(stem, endings)
    }
  }
  if (!isCyrillic && (languages.length === 0 || languages.includes('en'))) {
    const [, stem] = /^(.{3,})(?:ed|ing)$/.exec(word) ?? []
    if (stem && DOUBLED.test(stem)) addForms(stem.slice(0, -1), ['', 's'])
    if (SHORT_SYLLABLE.test(word)) addForms(word, [`${word.at(-1)}ed`, `${word.at(-1)}ing`])
  }
  forms.delete(word)
  return forms.size > 0 ? { prefix, forms, longest: Math.max(...[...forms].map(form => form.length)) } : undefined
}

function latinParadigms(languages: readonly SpacedLanguage[]): readonly Paradigm[] {
  const { ru: _, ...latin } = PARADIGMS
  const known = languages.filter(language => language !== 'ru')
  const chosen = known.length > 0 ? known.flatMap(language => PARADIGMS[language]) : Object.values(latin).flat()
  return known.includes('de') ? [...chosen, GERMAN_ER] : chosen
}
