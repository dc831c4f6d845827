import { invalidInput } from '../../core/errors.js'
import type { TextLanguage } from '../../core/text/language/language.js'
import type { MessageLanguage } from '../api/message-writing.js'

/** Number of messages by language, in the order of the file. */
export type MessageCounts = ReadonlyMap<MessageLanguage, number>

export type MessagesByLanguage = ReadonlyMap<MessageLanguage, readonly string[]>

/** Every language of the analysis is one of these. */
export const MESSAGE_LANGUAGES: Readonly<Record<MessageLanguage, string>> = {
  en: 'English',
  zh: 'Chinese (Simplified)',
  ja: 'Japanese',
  ko: 'Korean',
  es: 'Spanish',
  de: 'German',
  fr: 'French',
  pt: 'Portuguese',
  ru: 'Russian',
} satisfies Record<TextLanguage, string>

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

/** A language in Latin letters. */
interface LatinMarks {
  /** Frequent words that the other languages in Latin letters do not have. */
  words: string
  /** Letters that only this language has. Default: none. */
  letters?: RegExp
}

/** A language in another script. */
interface ScriptMarks {
  /** Matches the letters that a message must have some of. */
  script: RegExp
  /** Matches each letter that a message may have. Latin letters may stand beside the script: `PDF`. */
  allowed: RegExp
}

/** How messages of each language are told from others. */
const MARKS: Readonly<Record<MessageLanguage, LatinMarks | ScriptMarks>> = {
  en: {
    words:
      'the my i is this that of what how and to are have can you with need want for does should before',
  },
  es: {
    words: 'el los las una mi mis con del y quiero necesito puedo cuánto cómo hay lo ayúdame',
    letters: /[ñ¿¡]/,
  },
  de: {
    words:
      'der das und ich nicht ein eine einen mit für auf wie kann mir mein meine ist den dem zu im brauche',
    letters: /[ßäö]/,
  },
  fr: {
    words: 'le je pour avec mon dans une et est ce cette comment peux au vous faut',
    letters: /[èëîœùû]/,
  },
  pt: {
    words: 'os uma não meu minha com preciso quero isso você tenho fazer da em',
    letters: /[ãõ]/,
  },
  zh: { script: /\p{Script=Han}/gu, allowed: /[\p{Script=Han}\p{Script=Latin}]/u },
  ja: {
    script: /[\p{Script=Hiragana}\p{Script=Katakana}]/gu,
    allowed: /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー\p{Script=Latin}]/u,
  },
  ko: {
    script: /\p{Script=Hangul}/gu,
    allowed: /[\p{Script=Han}\p{Script=Hangul}\p{Script=Latin}]/u,
  },
  ru: { script: /\p{Script=Cyrillic}/gu, allowed: /[\p{Script=Cyrillic}\p{Script=Latin}]/u },
}
const LATIN: ScriptMarks = { script: /\p{Script=Latin}/gu, allowed: /\p{Script=Latin}/u }
const MIN_LETTERS = 2

const TYPICAL = Object.entries(MARKS).flatMap(([language, marks]) =>
  'words' in marks
    ? { language, words: new Set(marks.words.split(' ')), letters: marks.letters }
    : [],
)

/** True if a message can be in the language: by its script and, among languages in Latin letters, by frequent words. */
export function isInLanguage(message: string, language: MessageLanguage): boolean {
  const marks = MARKS[language]
  const { script, allowed } = 'script' in marks ? marks : LATIN
  if ((message.match(script)?.length ?? 0) < MIN_LETTERS) return false
  const letters = message.match(/\p{L}/gu) ?? []
  if (!letters.every(letter => allowed.test(letter))) return false
  return 'script' in marks || !isTypicalOfAnother(message, language)
}

/** True if two or more words are typical of another language in Latin letters, and fewer of this one. */
function isTypicalOfAnother(message: string, language: MessageLanguage): boolean {
  const text = message.toLowerCase()
  const said = text.match(/\p{L}+/gu) ?? []
  const scores = new Map(
    TYPICAL.map(({ language, words, letters }) => [
      language,
      said.filter(word => words.has(word)).length + (letters?.test(text) ? 2 : 0),
    ]),
  )
  const own = scores.get(language) ?? 0
  return [...scores].some(([other, score]) => other !== language && score >= 2 && score > own)
}
