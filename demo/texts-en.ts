import { bytes, grouped as number } from './format.js'
import first from './texts-en-first.js'

/** A text that contains elements. */
export type RichText = readonly (Node | string)[]

const list = (words: readonly string[]): string =>
  words.length < 3 ? words.join(' and ') : `${words.slice(0, -1).join(', ')}, and ${words.at(-1)}`
export const count = (value: number, noun: string): string =>
  `${number(value)} ${noun}${value === 1 ? '' : 's'}`
const tokens = (value: number): string => count(value, 'token')
const size = (value: number): string => bytes(value, small => count(small, 'byte'))

/** English descriptions of the samples that are written in another language, by name. */
const skills: Readonly<Record<string, readonly [name: string, description: string]>> = {
  deep_research: [
    'deep-research',
    'Researches a topic in depth: compares many sources and writes a report.',
  ],
  'recipe-planner': [
    'recipe-planner',
    'Plans dinner or a week of meals from what is in the fridge, with recipes.',
  ],
}

/** English texts of the first screen. Every language has the same keys. */
const texts = {
  number,
  tokens,
  size,
  skills,
  title: 'skillshelf: the right skill for your AI agent, in the browser and at the edge',
  ...first,
  copyInstall: 'Copy: npm install skillshelf',
  copied: 'Copied',
  search: 'Find a skill',
  placeholder: 'Describe what you need',
  examples: 'Examples',
  loading: 'Loading skills…',
  skillCount: (amount: number) => `${count(amount, 'skill')} in this library`,
  notListed: (amount: number) => `${number(amount)} more. Search to find them.`,
  oneCandidate: (name: Node): RichText => ['An agent would load ', name],
  unsure: 'Not sure which one',
  closest: (name: Node, score: string): RichText => ['Closest: ', name, `, ${score}`],
  hardly: 'Probably nothing fits',
  nothing: 'Nothing here fits',
  noMatch: 'No skill shares a word or a meaning with it. An agent would load none.',
  acts: (library: string) => `Above 70%, so it acts. ${library}`,
  choose: (library: string) => `An agent would ask, or choose. ${library}`,
  notAlone: (library: string) => `Not sure enough to load it alone. ${library}`,
  far: (name: string, score: string) =>
    `The closest is ${name}, ${score}: an agent would load none.`,
  none: (library: string) => `The nearest is below. An agent would load none. ${library}`,
  served: [
    'A skill for this is almost surely here.',
    'A skill for this is probably here.',
    'A skill for this may well be here.',
    'A skill for this is hardly here.',
    'A skill for this is not here.',
  ],
  costs: {
    title: 'Tokens in the context, the opened skill included',
    listed: 'Names and descriptions, as agents list them',
    skillshelf: 'skillshelf',
    inlined: 'Everything inlined',
  },
  answered: (found: number, all: number, milliseconds: string) =>
    `${number(found)} of ${count(all, 'skill')} in ${milliseconds} ms, 0 bytes sent`,
  compareLink: 'Compare with other ways',
  why: {
    said: (words: readonly string[], alsoIn: string, purpose: string) =>
      `You said ${list(words.map(word => `“${word}”`))}${alsoIn}; ${purpose}.`,
    alsoIn: { message: ', as one of its examples does', body: ', as its instructions do' },
    // “Makes slides” can follow “this skill”; “Process invoices” and “Tips for writers” are quoted.
    purpose: (text: string) =>
      /^[A-Z][a-z]*[a-rt-z]s (?!(?:for|of|to|on|in|about) )/.test(text)
        ? `this skill ${text[0]?.toLowerCase()}${text.slice(1)}`
        : `this skill says “${text}”`,
    like: (message: string) => `Your message is like one of its examples: “${message}”.`,
    meaning: (purpose: string) => `Nearest in meaning, with no word in common; ${purpose}.`,
  },
  demonstration: { label: 'Type your own message, or', pause: 'pause', go: 'continue' },
  groups: {
    write: 'Writing and slides',
    data: 'Data and documents',
    code: 'Code and operations',
    think: 'Research and decisions',
    live: 'Everyday life',
    other: 'More',
  },
  rankedBy: {
    keywords: 'Ranked by keywords only',
    bundled: 'Ranked by keywords and the bundled model',
    transformer: (name: Node): RichText => ['Ranked by keywords and ', name],
  },
  score: 'Score',
  footer: {
    skills: (amount: number) => count(amount, 'skill'),
    revision: (revision: string) => `revision ${revision}`,
    downloaded: (amount: number) => `${size(amount)} downloaded`,
    private: 'messages stay in this tab',
    offline: 'works offline',
  },
  partFailed: 'Part of this page failed to load. Reload the page.',
  drop: 'Drop skills to open them',
}

export default texts
export type FirstTexts = typeof texts
