/** A language that messages are written in: one that the bundled model reads. */
export type MessageLanguage = 'en' | 'zh' | 'ja' | 'ko' | 'es' | 'de' | 'fr' | 'pt' | 'ru'

/** A request to a language model for the messages of one skill. */
export interface MessagesPrompt {
  /** The task and its rules. The same for every skill. */
  system: string
  /** The skill as escaped data, then the languages and numbers. */
  user: string
  /** JSON Schema of the answer, for models with structured output. */
  schema: Readonly<Record<string, unknown>>
}

/** Returns a model's answer: JSON with an array of messages for each language. Its errors go to `onFailure` as diagnostics. */
export type AskForMessages = (
  prompt: MessagesPrompt,
  options: { signal: AbortSignal },
) => Promise<string>
