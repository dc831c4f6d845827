/**
 * The data of one language. A language is a file with two exports: `matching` is read by every message, `indexing` by what builds an index
 * or vectors, so that a page that only matches does not load it.
 */

/** Languages that separate words by spaces. */
export type SpacedLanguage = 'en' | 'es' | 'de' | 'fr' | 'pt' | 'ru'
/** Languages whose words are indexed as runs of characters. */
export type UnspacedLanguage = 'zh' | 'ja' | 'ko'
/** The languages whose messages are understood. */
export type TextLanguage = SpacedLanguage | UnspacedLanguage

/** Lists are separated by spaces, their words in lower case, Latin letters without accents. Patterns are sources of regular expressions. */
export interface SpacedMatchingData {
  /** Words without meaning of their own, and polite phrases. Not those that name something in another language or in computing. */
  functionWords: string
  /** Signs that a message refers to the ones before it: pronouns, additions, confirmations. */
  leaning: {
    words: string
    /** Conjunctions. They lean if they begin a message: inside it, they join two things. */
    beginnings: string
    /** A pattern of parts of words. Default: none. */
    runs?: string
  }
  /** A pattern of greetings and thanks, which ask for nothing. */
  greetings: string
  /** How users rule something out: "do not make slides", "instead of slides". */
  ruledOut: {
    /** A pattern of the word for a skill, which stands before or behind the name of one. */
    skillWord: string
    /** A pattern that every message with one of `patterns` matches: it is tested first, because that is fast. */
    cues: string
    /** A pattern of words after which a clause starts, beside the punctuation. */
    clauseStarts: string
    /** A pattern of words that end the clause, because they turn to what is wanted. */
    turns: string
    /** Patterns of the clauses, without groups that capture. */
    patterns(parts: RuledOutParts): readonly string[]
    /** Patterns of what would look like such a clause, and asks for it: "don't skip", "nothing but". Without groups that capture. */
    negatedTwice(parts: RuledOutParts): readonly string[]
  }
  /** Endings that follow the same stem; `-` is the stem itself. Accents are folded before, so umlauts and ç need no rule. */
  inflections: readonly InflectionData[]
  /** Inflections that count only in a message of this language. In an English one, "poster" is not a form of "post". Default: none. */
  ownInflections?: readonly InflectionData[]
}

/** Patterns from which those of a clause are made. */
export interface RuledOutParts {
  /** The place where a clause starts. */
  start: string
  /** The clause from there to its end. */
  rest: string
  /** Up to three words that end a clause: "skip the hull paint". */
  name: string
  /** What can only be the name of a skill: words with a hyphen, or with the word for a skill: "without the hull paint skill". */
  skill: string
  /** A name with the word for a skill, for verbs that are as often about something else: "disable the hull paint skill". */
  called: string
}

export interface InflectionData {
  /** Minimum length of the stem. */
  minStem: number
  endings: string
}

/** As for a language with spaces; patterns are matched anywhere in a message. */
export interface UnspacedMatchingData {
  /** A run of characters is functional if these cover it. */
  functionWords: string
  /** Particles that may follow a function word. Default: none. */
  particles?: string
  leaning: string
  greetings: string
  /** How users rule something out. Case matters. Without groups that capture. */
  ruledOut: {
    patterns: readonly string[]
    negatedTwice: readonly string[]
  }
}

/**
 * The parts of the bundled model, by script. `latin`: words of English, and words that other languages share with it. `european`: other
 * words of Spanish, German, French and Portuguese. The others: ideographs, kana, Hangul, and Russian in Cyrillic letters.
 */
export type ModelPart = 'latin' | 'european' | 'cyrillic' | 'han' | 'kana' | 'hangul'

/** A language of the part `european` has frequent words that tell it from English. */
type Embedding =
  | { embedsAs: Exclude<ModelPart, 'european'> }
  | {
      embedsAs: 'european'
      /** Frequent words that English does not have. */
      typicalWords: string
    }

export type IndexingData = Embedding & {
  /** How the description of a skill excludes a use: "Do NOT use for X". Patterns ignore case. */
  negation: {
    /** Patterns of the words that exclude what follows them. */
    patterns: readonly string[]
    /** Patterns of words that exclude what stands before them. */
    finalPatterns?: readonly string[]
    /** A pattern of phrases that look like an exclusion and are none. */
    notNegated?: string
    /** A pattern of the beginning of a sentence that only points to another skill. */
    redirects?: string
  }
}
