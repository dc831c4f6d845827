import type { AbortOptions } from '../../core/abort.js'
import { isSkillshelfError } from '../../core/errors.js'
import type { SkillLibrary } from '../../library/api/skill-library.js'
import type { SkillSummary } from '../../skill/skill.js'

const QUOTE_OR_BLANK = /[\s"'`“”‘’«»]/

/** A text without blanks and quotes around it. */
export function withoutQuotes(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && QUOTE_OR_BLANK.test(text[start] as string)) start++
  while (end > start && QUOTE_OR_BLANK.test(text[end - 1] as string)) end--
  return text.slice(start, end)
}

/**
 * The name of a skill that a model means: `/slides`, `plugin:slides`, `slides/SKILL.md`, `skill://mine/slides` and quotes around any of them.
 * The first spelling that the library knows counts, or is ambiguous in it.
 * @returns A name to pass to the library, which does not know it if it knows no spelling.
 */
export async function readSkillName(
  library: Pick<SkillLibrary, 'get' | 'snapshot'>,
  name: string,
  { signal }: AbortOptions = {},
): Promise<string> {
  const spellings = spellingsOf(name, library.snapshot.skills)
  for (const spelling of spellings.length > 1 ? spellings : []) {
    try {
      await library.get(spelling, { signal })
      return spelling
    } catch (error) {
      if (!isSkillshelfError(error, 'skill-not-found')) return spelling
    }
  }
  return name
}

/** Spellings of a name, from the one that is given to the one that leaves out most. */
function spellingsOf(name: string, skills: readonly SkillSummary[]): string[] {
  const bare = withoutQuotes(name)
  const folder = bare
    .replaceAll('\\', '/')
    .replace(/^skill:\/\//i, '')
    .replace(/\/+(?:skill\.md)?$/i, '')
  const plain = folder.replace(/^[/@$]+/, '')
  const inPlugin = plain.slice(plain.lastIndexOf(':') + 1)
  const spellings = [name, bare, folder, plain, inPlugin]
  // Without a sign that it is a path, `a/b` is the id of a skill, and another skill `b` is not meant.
  if (folder !== bare || folder.startsWith('/')) {
    const inside = skills.filter(({ id }) => id.endsWith(`/${inPlugin}`))
    if (inside.length === 1) spellings.push(...inside.map(({ id }) => id))
    spellings.push(inPlugin.slice(inPlugin.lastIndexOf('/') + 1))
  }
  return [...new Set(spellings)].filter(one => one !== '')
}
