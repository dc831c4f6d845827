import texts, { count } from './texts-en.js'

const { number } = texts

/** English texts of what agents list of skills. */
export default {
  title: 'What does your agent not see?',
  lead: 'Coding agents list the descriptions of all skills in the prompt, and cut them short when there are many. This is what is left of those in this library. Nothing leaves this tab.',
  add: 'Check your own skills',
  agent: 'Agent',
  share: (title: string, percent: number) => `${title}, ${percent}% of the context`,
  context: 'Context',
  tokens: (amount: number) => (amount < 1_000_000 ? `${amount / 1000}k` : `${amount / 1_000_000}M`),
  figure: (unseen: number, total: number) =>
    unseen === 0
      ? `All ${count(total, 'description')} are whole`
      : `${number(unseen)} of ${count(total, 'description')} ${unseen === 1 ? 'is' : 'are'} cut short`,
  counts: (
    characters: number,
    { whole, cut, named, unlisted }: Record<'whole' | 'cut' | 'named' | 'unlisted', number>,
  ) =>
    `${number(characters)} characters for the list: ${[
      `${number(whole)} whole`,
      `${number(cut)} in part`,
      `${number(named)} by name only`,
      `${number(unlisted)} not listed`,
    ].join(', ')}.`,
  shelf: 'Each book is a skill, as high as its description. The pale part is cut.',
  note: 'An estimate by what the agents document. Each shortens in its own way, and some keep the skills that you used last.',
  hidden: (amount: number) =>
    `${count(amount, 'skill')} only for people, which no agent lists, ${amount === 1 ? 'is' : 'are'} not counted.`,
  message: {
    label: 'Is the right skill in the list? Type a message',
    placeholder: 'Describe what you need',
    skill: 'The right skill is',
    rank: (rank: number, score: string, opens: boolean) =>
      rank === 1
        ? `skillshelf finds it first, at ${score}${opens ? ': an agent would load it.' : ', not sure enough to load it alone.'}`
        : `skillshelf finds it as number ${number(rank)}.`,
    none: 'No skill here shares a word or a meaning with this message.',
    whole: (agent: string) => `${agent} lists its whole description.`,
    cut: (agent: string, shown: number, all: number) =>
      `${agent} lists ${number(shown)} of the ${number(all)} characters of its description.`,
    named: (agent: string) => `${agent} lists its name only.`,
    unlisted: (agent: string) => `${agent} does not list it.`,
    words: (words: readonly string[]) =>
      `Cut off: ${words.map(word => `“${word}”`).join(', ')} of your message.`,
  },
  states: {
    whole: 'whole',
    cut: (shown: number, all: number) => `${number(shown)} of ${number(all)} characters`,
    named: 'name only',
    unlisted: 'not listed',
  },
  unseen: 'Cut skills',
  wholeSkills: (amount: number) => `${count(amount, 'skill')} listed whole`,
  more: (amount: number) => `Show ${number(amount)} more`,
  actions: 'What you can do',
  shorten: 'Shorten the descriptions',
  shortening: (done: number, total: number) => `Trying ${number(done)} of ${number(total)}…`,
  reading: 'Reading the skills…',
  shortened: (amount: number, before: number, after: number) =>
    amount === 0
      ? 'No description can be cut to its first sentence without losing a message that finds the skill.'
      : `${count(amount, 'skill')} ${amount === 1 ? 'is' : 'are'} found as well by the first sentence of the description: by each of its sentences and messages that found it before. With these, ${number(after)} skills are listed whole, not ${number(before)}.`,
  patch: 'Changes',
  patchMeaning: 'A patch for git apply.',
  cutPatch: 'Copy has all of it.',
  failed: 'Could not read the skills.',
  hook: 'Install the hook',
  hookMeaning:
    'It gives the agent the skills that fit, with each prompt. Then nothing depends on the list.',
  hookCommands: 'Commands',
  picture: 'Save as a picture',
  pictureTitle: (unseen: number, total: number) =>
    unseen === 0
      ? `Our ${number(total)} skills are listed whole`
      : `${number(unseen)} of our ${number(total)} skills are cut`,
  pictureAgent: (agent: string, context: string, characters: number) =>
    `${agent} with a context of ${context} lists ${number(characters)} characters of them.`,
  link: 'Copy a link to this',
  linkCopied: 'Link copied. It opens this library here.',
}
