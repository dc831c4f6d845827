import { indexing as de } from './de.js'
import { indexing as en } from './en.js'
import { indexing as es } from './es.js'
import { indexing as fr } from './fr.js'
import { indexing as ja } from './ja.js'
import { indexing as ko } from './ko.js'
import type { IndexingData, TextLanguage } from './language.js'
import { indexing as pt } from './pt.js'
import { indexing as ru } from './ru.js'
import { indexing as zh } from './zh.js'

/** The data that indexes and vectors need, by language. */
export const INDEXED_LANGUAGES: Readonly<Record<TextLanguage, IndexingData>> = {
  en,
  es,
  de,
  fr,
  pt,
  ru,
  zh,
  ja,
  ko,
}
