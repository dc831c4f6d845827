import texts, { count } from './texts-en.js'

const { number } = texts

/** English texts of which skills fire. */
export default {
  title: 'Which of your skills never fire?',
  lead: 'The messages of each skill, ranked in this tab: its trigger tests, the phrases of its “Use when …”, and what you add. A skill fires if it comes first with a score above 70%.',
  run: 'Rank their messages',
  results: 'Skills and their messages',
  figure: (firing: number, total: number) => `${number(firing)} of ${count(total, 'skill')} fire`,
  counts: (unsure: number, never: number, messages: number) =>
    `${number(unsure)} unsure, ${number(never)} never first, with ${count(messages, 'message')}.`,
  messages: (fires: number, total: number) => `${number(fires)} of ${number(total)} fire`,
  states: { fires: 'fires', unsure: 'unsure', never: 'never first' },
  outcomes: {
    fires: (score: string) => `fires, ${score}`,
    unsure: (score: string) => `first, not sure, ${score}`,
    taken: (name: string, score: string) => `goes to ${name}, ${score}`,
    nothing: 'nothing fits',
  },
  missing: (words: readonly string[]) =>
    `Not in this skill: ${words.map(word => `“${word}”`).join(', ')}`,
  from: {
    test: 'trigger test',
    phrase: 'from “Use when”',
    description: 'from the description',
    typed: 'yours',
  },
  add: 'Add a message that should reach this skill',
  addButton: 'Add',
  description: 'Try another description',
  trying: 'Ranking…',
  changed: (before: number, after: number, total: number) =>
    `${number(after)} of ${number(total)} fire, ${number(before)} before.`,
  others: (gained: number, lost: number) =>
    gained + lost === 0
      ? 'The messages of other skills stay as they are.'
      : `Of other skills, ${count(gained, 'message')} more and ${number(lost)} fewer fire.`,
  copySkill: (name: string) => `SKILL.md of ${name}`,
  badge: 'Badge for a README',
  table: 'Table for a README',
  columns: {
    skill: 'Skill',
    messages: 'Messages',
    fires: 'Fire',
    unsure: 'Unsure',
    taken: 'Not first',
  },
  badgeLabel: 'skills that fire',
}
