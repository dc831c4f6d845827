import type { SkillSummary } from 'skillshelf'
import { language, texts } from './texts.js'

const HAN = /\p{Script=Han}/u

/** Whether the open library is the samples, whose names and descriptions are translated. */
let translated = false

/** Skills of other libraries may have the name of a sample. */
export function translateSamples(isOwn: boolean): void {
  translated = isOwn
}

/** The name of a skill for the reader: its translation, its display name, or its name if that is in Chinese and the page is not. */
export function nameOf({ name, displayName }: Pick<SkillSummary, 'name' | 'displayName'>): string {
  const own = translated ? texts.skills[name]?.[0] : undefined
  return (
    own ??
    (displayName === undefined || (language !== 'zh' && HAN.test(displayName)) ? name : displayName)
  )
}

/** The description of a skill for the reader: its translation, its sentences in the language of the page, or all of it. */
export function descriptionOf({
  name,
  description,
}: Pick<SkillSummary, 'name' | 'description'>): string {
  const own = translated ? texts.skills[name]?.[1] : undefined
  if (own !== undefined) return own
  const sentences = description.match(/[^。！？.!?]+[。！？.!?]*\s*/gu) ?? []
  const readable = sentences.filter(sentence => HAN.test(sentence) === (language === 'zh'))
  return readable.length > 0 ? readable.join('').trim() : description
}
