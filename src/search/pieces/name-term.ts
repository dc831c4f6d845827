/** First character of an index term that stands for a name or an id. No word has it, nor a message: see index/message-key.ts. */
const NAME = '\u0002'

/** The index term of a folded name, or of an id: the skills of a name are found by it. */
export function nameTerm(key: string): string {
  return NAME + key
}
