import { matching as de } from './de.js'
import { matching as en } from './en.js'
import { matching as es } from './es.js'
import { matching as fr } from './fr.js'
import { matching as ja } from './ja.js'
import { matching as ko } from './ko.js'
import type {
  SpacedLanguage,
  SpacedMatchingData,
  UnspacedLanguage,
  UnspacedMatchingData,
} from './language.js'
import { matching as pt } from './pt.js'
import { matching as ru } from './ru.js'
import { matching as zh } from './zh.js'

/** The data that messages need, by language. The order decides between languages that are equally likely. */
export const SPACED_LANGUAGES: Readonly<Record<SpacedLanguage, SpacedMatchingData>> = {
  en,
  es,
  de,
  fr,
  pt,
  ru,
}

export const UNSPACED_LANGUAGES: Readonly<Record<UnspacedLanguage, UnspacedMatchingData>> = {
  zh,
  ja,
  ko,
}
