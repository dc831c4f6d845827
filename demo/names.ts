import type { SkillSummary } from 'skillshelf'
import { language } from './texts.js'

const HAN = /\p{Script=Han}/u

/** The name of a skill for the reader: its display name, unless that is in Chinese and the page is not. */
export function nameOf({ name, displayName }: Pick<SkillSummary, 'name' | 'displayName'>): string {
  return displayName === undefined || (language !== 'zh' && HAN.test(displayName)) ? name : displayName
}

/** The sentences of a description that are in the reader's language, or all of them. */
export function inOwnLanguage(description: string): string {
  const sentences = description.match(/[^。！？.!?]+[。！？.!?]*\s*/gu) ?? []
  const own = sentences.filter(sentence => HAN.test(sentence) === (language === 'zh'))
  return own.length > 0 ? own.join('').trim() : description
}
