/** First characters of index terms that stand for a name, a tag and a folder of a skill. No word has them: see index/message-key.ts. */
const NAME = '\u0002'
const TAG = '\u0003'
const FOLDER = '\u0004'

/** The index term of a folded name. */
export function nameTerm(name: string): string {
  return NAME + name
}

/** The index term of a tag, in lower case. */
export function tagTerm(tag: string): string {
  return TAG + tag
}

/** The index term of the folder of a skill, or of a copy of it. */
export function folderTerm(path: string): string {
  return FOLDER + path
}
