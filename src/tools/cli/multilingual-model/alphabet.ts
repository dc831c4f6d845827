/** The languages of the model, of those that the encoder was trained in. The others have scripts or letters of their own. */
export const MULTILINGUAL_LANGUAGES = ['de', 'en', 'es', 'fr', 'it', 'ja', 'ko', 'nl', 'pt', 'ru', 'zh']

const LATIN = 'a-zàâäæçèéêëîïôœùûüÿñáíóúßãõìòö'
const CYRILLIC = 'а-яё'
const OTHER = new RegExp(
  `(?![${LATIN}${CYRILLIC}\\p{Script=Hani}\\p{Script=Hira}\\p{Script=Kana}\\p{Script=Hang}ー々])[\\p{L}\\p{M}]`,
  'u',
)

/** True if a piece has no letter of another alphabet. */
export function isWritten(piece: string): boolean {
  return !OTHER.test(piece.toLowerCase())
}
