import { bytes } from './format.js'

/** A text that contains elements. */
export type RichText = readonly (Node | string)[]

const formatter = new Intl.NumberFormat('en')
const number = (value: number): string => formatter.format(value)
export const count = (value: number, noun: string): string => `${number(value)} ${noun}${value === 1 ? '' : 's'}`
const tokens = (value: number): string => count(value, 'token')
const size = (value: number): string => bytes(value, small => count(small, 'byte'))

/** English texts of the first screen. Every language has the same keys. */
const texts = {
  number,
  tokens,
  size,
  tagline: 'Search agent skills in this tab. Describe a task and see which skill an agent would load.',
  nav: {
    label: 'About this library',
    chat: 'Chat',
    tokens: 'Tokens',
    prompts: 'Prompts',
    tests: 'Tests',
    installed: 'Installed',
  },
  openLibrary: 'Open library',
  link: {
    copy: 'Copy link',
    copied: 'Link copied. It opens what you see.',
    local: 'Link copied. It asks for the folder, which is on this computer.',
    blocked: 'The browser blocked copying. The address bar has the link.',
  },
  otherLanguage: '中文',
  search: 'Find a skill',
  question: 'What do you need?',
  placeholder: 'Ask in any language',
  shortcuts: { search: 'search', select: 'select', open: 'open', close: 'close' },
  examples: 'Examples',
  loading: 'Loading skills…',
  skillCount: (amount: number) => `${count(amount, 'skill')} in this library`,
  notListed: (amount: number) => `${number(amount)} more. Search to find them.`,
  oneCandidate: (name: Node): RichText => ['An agent would load ', name, '.'],
  candidates: (amount: number, name: Node): RichText => [
    `An agent would choose from ${amount} skills. Best match: `,
    name,
    '.',
  ],
  noMatch: 'No skill matches this message. An agent would load none.',
  belowThreshold: 'No skill scores above 70%. An agent would load none. Closest skills:',
  rankedBy: {
    keywords: 'Ranked by keywords only',
    bundled: 'Ranked by keywords and the bundled model',
    transformer: (name: Node): RichText => ['Ranked by keywords and ', name],
  },
  score: 'Score',
  confidence: (share: string) => `confidence ${share}`,
  unlikely: 'below threshold',
  whenLoaded: (amount: number) => `${tokens(amount)} when loaded`,
  legend: {
    title: 'How to read the scores',
    score: 'Score',
    scoreMeaning:
      'The probability that any skill in this library fits the message. The first skill has all of it, the others a share. An agent loads no skill below the 70% mark.',
    confidence: 'Confidence',
    confidenceMeaning:
      'The probability that this skill is the right one. Similar skills lower each other’s confidence.',
  },
  footer: {
    skills: (amount: number) => count(amount, 'skill'),
    revision: (revision: string) => `revision ${revision}`,
    downloaded: (amount: number) => `${size(amount)} downloaded`,
    private: 'messages stay in this tab',
    offline: 'works offline',
  },
  links: { label: 'Project', docs: 'Documentation' },
  partFailed: 'Part of this page failed to load. Reload the page.',
  drop: 'Drop skills to open them',
}

export default texts
export type FirstTexts = typeof texts
