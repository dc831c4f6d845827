import { isAscii, sequenceOf } from '../../core/text/analyze.js'
import { classOf, HAN, JOINED } from '../../core/text/character-classes.js'

/** Characters that are divided at once: the time of `Intl.Segmenter` grows with the square of the length of a text without spaces. */
const PART = 500

let segmenter: Intl.Segmenter | undefined

/**
 * Puts spaces between the words of a message in scripts without spaces, and leaves out function words, so that no n-gram crosses two words:
 * 给我的函数写单元测试 becomes 函数 写 单元 测试. Without `Intl.Segmenter` the message stays as it is.
 */
export function divideWords(
  message: string,
  isFunctional: (sequence: readonly string[]) => boolean,
): string {
  if (isAscii(message) || !isUnspaced(message) || typeof Intl.Segmenter !== 'function') {
    return message
  }
  // The dictionaries of the platform divide each script alike in every locale.
  segmenter ??= new Intl.Segmenter('en', { granularity: 'word' })
  let divided = ''
  let wasSingle = false
  for (let start = 0; start < message.length; start += PART) {
    for (const { segment } of segmenter.segment(message.slice(start, start + PART))) {
      // Single characters beside each other are a word that the dictionary does not know, such as 调研.
      const isSingle = segment.length === 1 && isUnspaced(segment)
      const isLeftOut = isUnspaced(segment) && isFunctional(sequenceOf(segment))
      if (!(isSingle && wasSingle)) divided += ' '
      if (!isLeftOut) divided += segment
      wasSingle = isSingle && !isLeftOut
    }
  }
  return divided
}

function isUnspaced(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const kind = classOf(text.charCodeAt(at))
    if (kind === HAN || kind === JOINED) return true
  }
  return false
}
