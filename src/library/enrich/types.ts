/** A language that messages are written in: one that the bundled model reads. */
export type MessageLanguage = 'en' | 'zh' | 'ja' | 'ko' | 'es' | 'de' | 'fr' | 'pt' | 'ru'

/** Number of messages by language, in the order of the file. */
export type MessageCounts = ReadonlyMap<MessageLanguage, number>

/** Messages by language. */
export type MessagesByLanguage = ReadonlyMap<MessageLanguage, readonly string[]>

/** A request to a language model for the messages of one skill. */
export interface MessagesPrompt {
  /** The task and its rules. The same for every skill. */
  system: string
  /** The skill as escaped data, then the languages and numbers. */
  user: string
  /** JSON Schema of the answer, for models with structured output. */
  schema: Readonly<Record<string, unknown>>
}

/**
 * Sends a prompt to a language model and returns its answer: JSON with an array of messages for each language.
 * @throws any error; the skill then keeps its words, and `onFailure` gets a diagnostic.
 */
export type AskForMessages = (prompt: MessagesPrompt, options: { signal: AbortSignal }) => Promise<string>

/** The texts of a skill that the model sees. */
export interface EnrichedSkill {
  name: string
  description: string
  whenToUse?: string | undefined
  /** The text after the frontmatter. */
  body: string
}
