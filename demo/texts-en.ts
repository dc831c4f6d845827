import { bytes } from './format.js'

/** A text with elements in it. */
export type Rich = readonly (Node | string)[]

const figures = new Intl.NumberFormat('en')
const number = (amount: number): string => figures.format(amount)
export const count = (amount: number, one: string): string => `${number(amount)} ${one}${amount === 1 ? '' : 's'}`
const tokens = (amount: number): string => count(amount, 'token')
const size = (amount: number): string => bytes(amount, some => count(some, 'byte'))

/** What the page says from the start, in English. The other languages have the same keys. */
const texts = {
  number,
  tokens,
  size,
  tagline: 'Agent skills on a shelf in this tab. Say what you need; the right one comes forward.',
  nav: { label: 'About this shelf', tokens: 'Tokens', model: 'For the model', tests: 'Tests', mine: 'My skills' },
  openLibrary: 'Open a library',
  otherLanguage: '中文',
  finder: 'Find a skill',
  question: 'What do you need?',
  placeholder: 'Say it in any language',
  keys: { write: 'write', choose: 'choose', open: 'open', close: 'close' },
  examples: 'Examples',
  opening: 'Opening the shelf…',
  onShelf: (amount: number) => `${count(amount, 'skill')} on the shelf`,
  notShown: (amount: number) => `${number(amount)} more: say what you need to find them.`,
  wouldOpen: (name: Node): Rich => ['An agent would open ', name, '.'],
  wouldChoose: (amount: number, name: Node): Rich => [`An agent would choose among ${amount}, first `, name, '.'],
  noCommonWord: 'No skill has a word of this message: an agent would open none.',
  belowThreshold: 'None likely enough: an agent would open none. The nearest:',
  answers: {
    words: 'Finds by words alone',
    bundled: 'Finds by words and the bundled model',
    model: (name: Node): Rich => ['Finds by words and ', name],
  },
  score: 'Score',
  confidence: (share: string) => `confidence ${share}`,
  unlikely: 'not likely enough',
  whenOpened: (amount: number) => `${tokens(amount)} when opened`,
  legend: {
    title: 'What the figures say',
    score: 'Score',
    scoreMeans:
      'How likely it is that this shelf serves the message at all, at the first skill; the others have their share of it. The line stands at 70%: an agent opens nothing below it.',
    confidence: 'Confidence',
    confidenceMeans: 'How likely this very skill is the right one. Skills that are much alike lower it for each other.',
  },
  footer: {
    skills: (amount: number) => count(amount, 'skill'),
    revision: (revision: string) => `revision ${revision}`,
    fetched: (amount: number) => `${size(amount)} fetched`,
    private: 'nothing leaves this page',
    offline: 'works offline',
  },
  missingPart: 'A part of this page is missing. Please load it again.',
  drop: 'Drop skills to open them here',
}

export default texts
export type FirstTexts = typeof texts
