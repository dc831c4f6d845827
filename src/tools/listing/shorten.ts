import type { AbortOptions } from '../../core/abort.js'
import type { SkillLibrary } from '../../library/api/skill-library.js'
import type { Skill, SkillId } from '../../skill/skill.js'
import type { Draft } from './draft.js'

/** Messages that a shorter description is tried with. */
const MAX_MESSAGES = 16

/** What answers a message: a library, or one that frees the thread between messages. */
type Searchable = Pick<SkillLibrary, 'search'>

export interface ShortenOptions extends AbortOptions {
  /** The library of the skills. */
  library: Searchable
  /** A copy of them, whose descriptions are changed. */
  draft: Draft
  /** The library of the draft. Default: the draft's own. */
  shortened?: Searchable
  onProgress?(done: number, total: number): void
}

/** The first sentences of descriptions, by skill: those that find it by every text by which its whole description does. */
export async function shortenDescriptions(
  skills: readonly Skill[],
  { library, draft, shortened = draft.library, onProgress, signal }: ShortenOptions,
): Promise<Map<SkillId, string>> {
  const first = new Map(
    skills.map(({ id, description }) => [id, sentencesOf(description)[0] ?? description]),
  )
  await draft.describe(first)
  const enough = new Map<SkillId, string>()
  for (const [done, { id, description, messages = [] }] of skills.entries()) {
    const sentence = first.get(id) as string
    const texts = [...sentencesOf(description), ...messages.slice(0, MAX_MESSAGES)]
    const isShorter = sentence.length < description.length
    if (isShorter && (await findsAsWell(id, texts, { library, shortened, signal }))) {
      enough.set(id, sentence)
    }
    onProgress?.(done + 1, skills.length)
  }
  return enough
}

/** Whether texts that find a skill find it in the shortened library, too. At least one does. */
async function findsAsWell(
  id: SkillId,
  texts: readonly string[],
  {
    library,
    shortened,
    signal,
  }: Pick<ShortenOptions, 'library' | 'signal'> & {
    shortened: Searchable
  },
): Promise<boolean> {
  const isFirst = async (searched: Searchable, text: string): Promise<boolean> =>
    (await searched.search(text, { limit: 1, signal })).matches[0]?.id === id
  let found = 0
  for (const text of texts) {
    if (!(await isFirst(library, text))) continue
    if (!(await isFirst(shortened, text))) return false
    found++
  }
  return found > 0
}

function sentencesOf(text: string): string[] {
  return text.split(/(?<=[.!?])\s+|(?<=[。！？])/).filter(sentence => sentence.trim() !== '')
}
