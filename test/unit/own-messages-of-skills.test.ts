import { expect, it } from 'vitest'
import { memory, openLibrary } from '../../src/exports/index.js'
import { collectTriggers } from '../../src/exports/testing.js'
import { ownMessages } from '../../src/tools/testing/own-messages.js'
import { phrasesOf } from '../../src/tools/testing/phrases.js'

it.each([
  [
    'Mends boats. Use when the user wants to caulk a hull, needs help with mending a sail, or says "my boat leaks". Do NOT use for cars or for fixing bikes.',
    ['my boat leaks', 'caulk a hull', 'mending a sail'],
  ],
  [
    'Brews tea. Triggers when brewing green tea or warming the pot.',
    ['brewing green tea', 'warming the pot'],
  ],
  ['修船工具。当用户需要修补船体、更换船帆时使用。', ['修补船体', '更换船帆']],
  ['Brews tea.', []],
])('[BY-10] phrases of a description: %s', (description, phrases) => {
  expect(phrasesOf({ description })).toEqual(phrases)
})

it('[BY-10] a text on when to use a skill has phrases without a lead', () => {
  expect(
    phrasesOf({ description: 'Brews tea.', whenToUse: 'brewing green tea, warming the pot' }),
  ).toEqual(['brewing green tea', 'warming the pot'])
})

it('[BY-10] messages of a skill: tests of any file that expect it, phrases, or its description', async () => {
  const files = {
    'boat/SKILL.md':
      '---\nname: boat\ndescription: Mends boats. Use when caulking a hull.\n---\nRow.\n',
    'boat/triggers.yaml':
      '- message: the hull leaks\n- message: Caulking a hull\n- message: brew tea\n  skill: tea\n- message: joke\n  skill: none\n',
    'boat/trigger-evals.json': '[{ "query": "fix my car", "should_trigger": false }]',
    'tea/SKILL.md': '---\nname: tea\ndescription: Brews tea.\n---\nPour.\n',
    'bread/SKILL.md': '---\nname: bread\ndescription: Bakes sourdough bread, slowly.\n---\nWait.\n',
  }
  await using library = await openLibrary(memory(files), { embedder: false })
  const messages = ownMessages(library, await collectTriggers(library))
  const shown = [...messages].map(([id, own]) => [
    id,
    own.map(({ message, from }) => `${from}: ${message}`),
  ])
  expect(Object.fromEntries(shown)).toEqual({
    'memory/boat': ['test: the hull leaks', 'test: Caulking a hull'],
    'memory/tea': ['test: brew tea'],
    'memory/bread': ['description: Bakes sourdough bread'],
  })
})
