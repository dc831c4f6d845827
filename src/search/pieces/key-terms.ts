/** First characters of index terms that stand for what finds a skill by name, and for a tag. No word has them: see index/message-key.ts. */
const NAME = '\u0002'
const TAG = '\u0003'

/** The index term of an id, or of a folded name. */
export function nameTerm(key: string): string {
  return NAME + key
}

/** The index term of a tag, in lower case. */
export function tagTerm(tag: string): string {
  return TAG + tag
}
