import type { SkillLibrary } from 'skillshelf'

/** Wraps a library that does not change meanwhile: a message that comes again, as an example of a skill and as its test, is searched once. */
export function answeredOnce(library: SkillLibrary): SkillLibrary {
  const answers = new Map<string, ReturnType<SkillLibrary['search']>>()
  const search: SkillLibrary['search'] = (message, options) => {
    const key = JSON.stringify([library.snapshot.revision, message, options?.limit])
    const answer = answers.get(key) ?? library.search(message, options)
    answers.set(key, answer)
    return answer
  }
  return Object.create(library, { search: { value: search } }) as SkillLibrary
}
