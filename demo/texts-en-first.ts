/** English texts of the first paint: first-paint-plugin.ts writes them into the document. */
export default {
  sentence: 'Finds the right skill for your AI agent. In the browser, on a server, offline.',
  tagline:
    'A TypeScript library.| Skills are folders with a SKILL.md. Agents list all of them in the prompt, cut short when there are many. This finds the one that fits.',
  copy: 'Copy',
  nav: {
    label: 'About this library',
    listing: 'What agents see',
    compare: 'Compare',
    chat: 'Chat',
    tokens: 'Tokens',
    prompts: 'Prompts',
    tests: 'What fires',
    installed: 'Installed',
  },
  checks: {
    listing: [
      'What does your agent not see?',
      'Agents cut descriptions when there are many skills.',
    ],
    compare: [
      'Is it better than what you have?',
      'Your message by full-text search, by listing all, by inlining all.',
    ],
    tests: ['Which of your skills never fire?', 'Their own messages, ranked in this tab.'],
  },
  openLibrary: 'Open library',
  copyLink: 'Copy link',
  otherLanguage: '中文',
  links: { label: 'Project', docs: 'Docs' },
  shortcuts: { search: 'search', select: 'select', open: 'open', close: 'close' },
  repositories: 'Or search a real repository in this tab:',
  legend: {
    title: 'How to read the scores',
    meaning:
      'The probability that the message needs this skill. Similar skills share it. An agent acts above 70%.',
  },
  question: 'Try it: what should your agent do?',
}
