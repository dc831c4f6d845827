import { WORD_START } from './pieces.js'

/** Characters that are spaces to the model, but not to JavaScript. */
const SPACES = /[\u200b\u200e\u200f\ufffd]/g
/** The model keeps it, while NFKC makes it a `~`. */
const WAVE = '\uff5e'

/** Text as the pieces have it: NFKC, and one mark for the spaces before each word. Empty for a text without characters. */
export function normalizeText(text: string): string {
  const composed = text
    .replace(SPACES, ' ')
    .split(WAVE)
    .map(part => part.normalize('NFKC'))
    .join(WAVE)
  const words = composed.split(/\s+/).filter(word => word !== '')
  return words.map(word => WORD_START + word).join('')
}
