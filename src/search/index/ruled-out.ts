import { bytesOf, u32 } from '../../core/byte-sections.js'
import { ascends, readColumn, writeColumn } from './column.js'
import { messageKey } from './message-key.js'

/** What the author of a skill rules out. */
export interface RuledOut {
  /** Clauses of its description (see `divideDescription`), one a line. After an empty line, messages that it is not for, one a line. */
  text: string
  /** The vector of the text, as that of a skill; `undefined` without a model, or if the model knows none of its words. */
  vector: { bytes: Int8Array; scale: number } | undefined
}

/** Maximum characters that are kept of the clauses of a skill. */
const MAX_CLAUSES = 600
/** Between clauses and messages. No clause and no message is empty. */
const MESSAGES_BELOW = '\n\n'

/** @returns The text of `RuledOut`; `''` if nothing is ruled out. */
export function joinRuledOut(clauses: string, messages: readonly string[] = []): string {
  const kept = clauses.slice(0, MAX_CLAUSES)
  if (messages.length === 0) return kept
  return kept + MESSAGES_BELOW + messages.map(text => text.replaceAll('\n', ' ')).join('\n')
}

/** @param text That of `RuledOut`. */
export function divideRuledOut(text: string): { clauses: string[]; messages: string[] } {
  const [clauses = [], messages = []] = text
    .split(MESSAGES_BELOW, 2)
    .map(part => part.split('\n').filter(Boolean))
  return { clauses, messages }
}

/** Whether a skill is not for just this message. @param key That of the message: see `messageKey`. */
export function isNotFor(ruledOut: RuledOut | undefined, key: string): boolean {
  const messages = ruledOut ? divideRuledOut(ruledOut.text).messages : []
  return messages.some(text => messageKey(text) === key)
}

/** Rows that only some skills have: the numbers of these skills, ascending. */
export function rowFinder(skills: Uint32Array): (skill: number) => number | undefined {
  return skill => {
    let low = 0
    let high = skills.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((skills[middle] as number) < skill) low = middle + 1
      else high = middle
    }
    return skills[low] === skill ? low : undefined
  }
}

/** Whether numbers of skills ascend, and none is out of range or there twice. */
export function areSkills(numbers: Uint32Array, skills: number): boolean {
  const isRepeated = numbers.some((skill, index) => index > 0 && skill === numbers[index - 1])
  return !isRepeated && ascends(numbers, skills - 1)
}

/** @param texts One per skill, `''` for those that rule out nothing. */
export function ruledOutSections(texts: readonly string[]): Record<string, Uint8Array> {
  const skills = [...texts.keys()].filter(skill => texts[skill] !== '')
  if (skills.length === 0) return {}
  return {
    notn: bytesOf(Uint32Array.from(skills)),
    nots: writeColumn(skills.map(skill => texts[skill] as string)),
  }
}

/** Reads the texts of a segment of so many skills; `undefined` if they are damaged. */
export function readRuledOut(
  sections: ReadonlyMap<string, Uint8Array>,
  skills: number,
): ((skill: number) => string | undefined) | undefined {
  const [notn, nots] = ['notn', 'nots'].map(tag => sections.get(tag))
  if (!notn && !nots) return () => undefined
  const numbers = notn && u32(notn)
  const texts = nots && readColumn(nots)
  if (!numbers || texts?.length !== numbers.length || !areSkills(numbers, skills)) return undefined
  const find = rowFinder(numbers)
  return skill => {
    const row = find(skill)
    return row === undefined ? undefined : texts.get(row)
  }
}
