import { invalidInput } from '../../core/errors.js'
import type { TextLanguage } from '../../core/text/language/language.js'
import type { MessageLanguage } from '../api/message-writing.js'

/** Number of messages by language, in the order of the file. */
export type MessageCounts = ReadonlyMap<MessageLanguage, number>

export type MessagesByLanguage = ReadonlyMap<MessageLanguage, readonly string[]>

/** A language of the analysis must be one of these, or the compiler complains. */
export const MESSAGE_LANGUAGES: Readonly<Record<MessageLanguage | TextLanguage, string>> = {
  en: 'English',
  zh: 'Chinese (Simplified)',
  ja: 'Japanese',
  ko: 'Korean',
  es: 'Spanish',
  de: 'German',
  fr: 'French',
  pt: 'Portuguese',
  ru: 'Russian',
}

/** Messages of the language that most instructions are in, and of each other language. */
const ENGLISH_MESSAGES = 6
const OTHER_MESSAGES = 4
/** Most messages of one language. Nine languages stay below the 64 messages of a skill. */
const MAX_MESSAGES = 7

export function isMessageLanguage(value: unknown): value is MessageLanguage {
  return typeof value === 'string' && Object.hasOwn(MESSAGE_LANGUAGES, value)
}

/** The number of messages for each language. `count`: 1 to 7, default 6 in English, 4 in others. @throws SkillshelfError `invalid-input` */
export function messageCounts(
  languages: readonly string[],
  count?: number | undefined,
): MessageCounts {
  if (!Array.isArray(languages) || languages.length === 0 || !languages.every(isMessageLanguage)) {
    throw invalidInput(`"languages" must list some of ${Object.keys(MESSAGE_LANGUAGES)}`)
  }
  if (count !== undefined && !(Number.isInteger(count) && count >= 1 && count <= MAX_MESSAGES)) {
    throw invalidInput(`"count" must be an integer from 1 to ${MAX_MESSAGES}, not ${count}`)
  }
  return new Map(
    languages.map(language => [
      language,
      count ?? (language === 'en' ? ENGLISH_MESSAGES : OTHER_MESSAGES),
    ]),
  )
}

/** The script that a message of a language must have letters of. Latin letters may stand beside it: `PDF`. */
const SCRIPTS: Readonly<Record<MessageLanguage, RegExp>> = {
  en: /\p{Script=Latin}/gu,
  es: /\p{Script=Latin}/gu,
  de: /\p{Script=Latin}/gu,
  fr: /\p{Script=Latin}/gu,
  pt: /\p{Script=Latin}/gu,
  zh: /\p{Script=Han}/gu,
  ja: /[\p{Script=Hiragana}\p{Script=Katakana}]/gu,
  ko: /\p{Script=Hangul}/gu,
  ru: /\p{Script=Cyrillic}/gu,
}
/** Letters of other scripts that a message of a language may have. */
const ALLOWED: Readonly<Partial<Record<MessageLanguage, RegExp>>> = {
  zh: /[\p{Script=Han}\p{Script=Latin}]/u,
  ja: /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー\p{Script=Latin}]/u,
  ko: /[\p{Script=Han}\p{Script=Hangul}\p{Script=Latin}]/u,
  ru: /[\p{Script=Cyrillic}\p{Script=Latin}]/u,
}
const MIN_LETTERS = 2

/** Frequent words of one Latin-script language that the four others do not have, and letters that only it has. */
const TYPICAL: readonly (readonly [language: MessageLanguage, words: string, letters: RegExp])[] = [
  [
    'en',
    'the my i is this that of what how and to are have can you with need want for does should before',
    /$^/,
  ],
  [
    'es',
    'el los las una mi mis con del y quiero necesito puedo cuánto cómo hay lo ayúdame',
    /[ñ¿¡]/,
  ],
  [
    'de',
    'der das und ich nicht ein eine einen mit für auf wie kann mir mein meine ist den dem zu im brauche',
    /[ßäö]/,
  ],
  ['fr', 'le je pour avec mon dans une et est ce cette comment peux au vous faut', /[èëîœùû]/],
  ['pt', 'os uma não meu minha com preciso quero isso você tenho fazer da em', /[ãõ]/],
]
const WORDS = TYPICAL.map(
  ([language, words, letters]) => [language, new Set(words.split(' ')), letters] as const,
)

/** True if a message can be in the language: by its script and, among languages in Latin letters, by frequent words. */
export function isInLanguage(message: string, language: MessageLanguage): boolean {
  const letters = message.match(/\p{L}/gu) ?? []
  if ((message.match(SCRIPTS[language])?.length ?? 0) < MIN_LETTERS) return false
  const allowed = ALLOWED[language] ?? /\p{Script=Latin}/u
  if (!letters.every(letter => allowed.test(letter))) return false
  return ALLOWED[language] !== undefined || !isTypicalOfAnother(message, language)
}

/** True if two or more words are typical of another language in Latin letters, and fewer of this one. */
function isTypicalOfAnother(message: string, language: MessageLanguage): boolean {
  const words = message.toLowerCase().match(/\p{L}+/gu) ?? []
  const scores = WORDS.map(
    ([other, typical, letters]) =>
      [
        other,
        words.filter(word => typical.has(word)).length +
          (letters.test(message.toLowerCase()) ? 2 : 0),
      ] as const,
  )
  const own = scores.find(([other]) => other === language)?.[1] ?? 0
  return scores.some(([other, score]) => other !== language && score >= 2 && score > own)
}
