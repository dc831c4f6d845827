import { describe, expect, it } from 'vitest'
import { readModel } from '../../bench/rank/model.js'
import { memoryEngine, openEngineLibrary, publishToEngine } from '../../src/exports/engine.js'
import { memory, openLibrary, type SkillLibrary } from '../../src/exports/index.js'
import { createSegmentBuilder, type SegmentDocument } from '../../src/search/index/build.js'
import { mergeSegments } from '../../src/search/index/merge.js'
import { openSegment, type Segment } from '../../src/search/index/open.js'
import { divideRuledOut, joinRuledOut } from '../../src/search/index/ruled-out.js'
import { checkComments, parseMessages } from '../../src/skill/messages.js'
import { packedFiles } from '../packed-files.js'
import { openInPieces } from '../pieces-world.js'

const NEAR_MISS = 'draw a chart of my blood sugar'
const PARAPHRASE = 'can you draw a blood sugar chart for me'
const RIGHT = 'draw a chart of our sales by quarter'
const NOT = `${NEAR_MISS}\n把血糖画成图\n`

const skill = (name: string, description: string): string =>
  `---\n${JSON.stringify({ name, description })}\n---\n\nDo it.\n`
const WITHOUT = {
  'charts/SKILL.md': skill('charts', 'Draws charts of sales, budgets and other tables of numbers.'),
  'charts/messages.txt': 'our numbers need a picture\n',
  'poems/SKILL.md': skill('poems', 'Writes poems for birthdays.'),
  'letters/SKILL.md': skill('letters', 'Writes letters to customers.'),
}
const FILES = { ...WITHOUT, 'charts/messages.txt': `our numbers need a picture\n# not\n${NOT}` }

describe('messages.txt', () => {
  it('[BY-31] has messages that the skill is not for below "# not", until the code of a language', () => {
    const text = '\ufeff# reviewed\na\n## NOT:\n- b\n\n# a remark\nc\n# zh\n丁\n#not\r\ne\n'
    expect(parseMessages(text)).toEqual({ messages: ['a', '丁'], notMessages: ['b', 'c', 'e'] })
    expect(parseMessages('# nothing\na\n# note\nb')).toEqual({
      messages: ['a', 'b'],
      notMessages: [],
    })
  })

  it('[BY-31] a comment that may be meant as such a message is named', () => {
    const text = 'a\n# not: fix my car\n# not this either\n# not\nb\n# nothing\n'
    expect(checkComments(text).map(({ line, severity }) => [line, severity])).toEqual([
      [2, 'info'],
      [3, 'info'],
    ])
  })

  it('[BY-31] problems of these lines are diagnostics of the library', async () => {
    const text = 'Make it, please!\nkeep me\n# not\nmake it please\n# not: other\n'
    const long = Array.from({ length: 65 }, (_, index) => `number ${index}`).join('\n')
    await using library = await openLibrary(
      memory({
        ...FILES,
        'charts/messages.txt': text,
        'poems/messages.txt': `# not\n${long}`,
      }),
    )
    const { messages, notMessages } = await library.get('charts')
    expect({ messages, notMessages }).toEqual({
      messages: ['keep me'],
      notMessages: ['make it please'],
    })
    const { diagnostics } = library.snapshot
    const [both, comment] = diagnostics.filter(({ path }) => path?.endsWith('charts/messages.txt'))
    expect([both, comment]).toMatchObject([
      {
        code: 'messages-ignored',
        severity: 'warning',
        message: expect.stringContaining('“Make it, please!” is below `# not`, too'),
      },
      { code: 'messages-ignored', severity: 'info', line: 5 },
    ])
    const many = diagnostics.find(({ path }) => path?.endsWith('poems/messages.txt'))
    expect(many?.message).toContain('1 message was ignored')
    expect((await library.get('poems')).notMessages).toHaveLength(64)
  })
})

const embedder = readModel()
const documents: SegmentDocument[] = [
  {
    name: 'charts',
    description: 'Draws charts. Do NOT use for maps.',
    tags: [],
    body: '',
    notMessages: ['a map', 'two\nlines'],
  },
  { name: 'poems', description: 'Writes poems.', tags: [], body: '', notMessages: ['a novel'] },
  { name: 'letters', description: 'Writes letters.', tags: [], body: '' },
]
const build = (some: readonly SegmentDocument[]): Segment => {
  const builder = createSegmentBuilder({ embedder })
  for (const document of some) builder.add(document)
  return openSegment(builder.finish()) as Segment
}

describe('messages that a skill is not for, in a segment', () => {
  it('[BY-31] are below the clauses of the description, with a vector of both', () => {
    const segment = build(documents)
    const texts = [0, 1, 2].map(number => segment.ruledOutOf(number)?.text)
    expect(texts).toEqual(['Do NOT use for maps.\n\na map\ntwo lines', '\n\na novel', undefined])
    expect(texts.slice(0, 2).map(text => divideRuledOut(text as string))).toEqual([
      { clauses: ['Do NOT use for maps.'], messages: ['a map', 'two lines'] },
      { clauses: [], messages: ['a novel'] },
    ])
    const [both, alone] = [0, 1].map(number => segment.ruledOutOf(number)?.vector)
    expect(alone).toBeDefined()
    const [clause] = documents.map(({ notMessages: _, ...rest }) => rest)
    expect(both).not.toEqual(build([clause as SegmentDocument]).ruledOutOf(0)?.vector)
  })

  it('[BY-31] clauses that are cut end before the messages', () => {
    const text = joinRuledOut(`${'a'.repeat(599)}\nb`, ['c'])
    expect(divideRuledOut(text)).toEqual({ clauses: ['a'.repeat(599)], messages: ['c'] })
  })

  it('[BY-31] survive a merge', () => {
    const parts = documents.map(one => ({ segment: build([one]), dead: new Set<number>() }))
    const merged = openSegment(mergeSegments(parts)) as Segment
    const whole = build(documents)
    for (const number of [0, 1, 2]) {
      expect(merged.ruledOutOf(number)).toEqual(whole.ruledOutOf(number))
    }
  })
})

type Files = Readonly<Record<string, string>>

async function inEngine(files: Files): Promise<SkillLibrary> {
  const stored = memory()
  const engine = memoryEngine()
  await publishToEngine(memory(files), { engine, files: stored, embedder })
  return openEngineLibrary({ engine, files: stored, embedder })
}

async function changed(files: Files): Promise<SkillLibrary> {
  const source = memory(WITHOUT)
  const library = await openLibrary(source, { embedder })
  await source.write({ put: files })
  await library.refresh()
  return library
}

const opened: [string, (files: Files) => Promise<SkillLibrary>][] = [
  ['a tree', files => openLibrary(memory(files), { embedder })],
  ['a tree that changed', changed],
  ['words alone', files => openLibrary(memory(files), { embedder: false })],
  [
    'a packed library',
    async files => openLibrary(memory(await packedFiles(memory(files))), { embedder }),
  ],
  [
    'a library in pieces',
    async files => openInPieces(memory(await packedFiles(memory(files), { pieces: true }))),
  ],
  ['an engine', inEngine],
]

describe.each(opened)('messages that a skill is not for, in %s', (_, openFiles) => {
  const chartsFor = async (library: SkillLibrary, message: string) =>
    (await library.search(message)).matches.find(({ name }) => name === 'charts')

  it('[BY-31] one that is equal never finds it, and the reason says so', async () => {
    await using library = await openFiles(FILES)
    await using without = await openFiles(WITHOUT)
    expect((await chartsFor(without, NEAR_MISS))?.score).toBeGreaterThan(0.3)
    for (const message of [NEAR_MISS, `  ${NEAR_MISS.toUpperCase()}!`, '把血糖画成图？']) {
      const { status, matches, maybe } = await library.match(message)
      expect([...matches, ...maybe].map(({ name }) => name)).not.toContain('charts')
      expect(status).toBe('none')
    }
    const explained = await library.explain(NEAR_MISS, 'charts')
    expect(explained.score).toBe(0)
    expect(explained.reason).toContain(`but its author rules out “${NEAR_MISS}”`)
  })

  it('[BY-31] one that is equal is seen behind many better skills too', async () => {
    const others = Array.from({ length: 12 }, (_, index) => [
      `sugar-${index}/SKILL.md`,
      skill(`sugar-${index}`, `Draws a chart of my blood sugar, for patients of group ${index}.`),
    ])
    await using library = await openFiles({ ...FILES, ...Object.fromEntries(others) })
    const { matches } = await library.search(NEAR_MISS, { limit: 30 })
    const charts = matches.find(({ name }) => name === 'charts')
    expect([charts?.score, matches.at(-1)?.name]).toEqual([0, 'charts'])
    expect(matches[0]?.score).toBeGreaterThan(0)
  })

  it('[BY-31] one that is like it counts against it, and others do not', async () => {
    await using library = await openFiles(FILES)
    await using without = await openFiles(WITHOUT)
    const near = await chartsFor(library, PARAPHRASE)
    expect(near?.score).toBeLessThan(((await chartsFor(without, PARAPHRASE))?.score ?? 0) / 3)
    expect(near?.signals.ruledOut).toBe(NEAR_MISS)
    const right = await chartsFor(library, RIGHT)
    const before = await chartsFor(without, RIGHT)
    expect(right?.signals.ruledOut).toBe(undefined)
    expect(right?.score).toBeGreaterThan(0.9 * (before?.score ?? 1))
    const [first] = (await library.match('our numbers need a picture')).matches
    expect(first?.name).toBe('charts')
  })

  it('[BY-31] the skill has them, prompts and lists do not', async () => {
    await using library = await openFiles(FILES)
    expect((await library.get('charts')).notMessages).toEqual([NEAR_MISS, '把血糖画成图'])
    expect(await library.get('poems')).not.toHaveProperty('notMessages')
    expect(JSON.stringify(library.snapshot.skills)).not.toContain('blood')
  })
})

it('[BY-14] a learned message finds the skill that its author excludes', async () => {
  await using library = await openLibrary(memory(FILES), {
    embedder,
    learn: { load: async () => undefined, save: async () => {} },
  })
  await library.learn(NEAR_MISS, 'charts')
  expect((await library.match(NEAR_MISS)).matches[0]?.name).toBe('charts')
})

it('[BY-12] messages that a model writes do not replace those that the skill is not for', async () => {
  const not = 'write poems for the birthdays of my plants'
  const written = [
    not,
    'some lines that rhyme for my aunt',
    'she turns forty, what can I say at the table',
    'make the card for my brother sound nice',
    'a few verses for the party on Sunday',
    'can you put my wishes into rhymes',
  ]
  await using library = await openLibrary(
    memory({
      'poems/SKILL.md': skill('poems', 'Writes poems for birthdays.'),
      'poems/messages.txt': `# not\n${not}\n`,
      'letters/SKILL.md': skill('letters', 'Writes letters to customers.'),
      'letters/messages.txt': 'tell them that it is late\n',
    }),
    { embedder },
  )
  const { kept } = await library.enrich(async () => JSON.stringify({ en: written }))
  expect(kept).toBe(1)
  expect((await library.match('make the card for my brother sound nice')).matches[0]?.name).toBe(
    'poems',
  )
  const { matches, maybe } = await library.match(not)
  expect([...matches, ...maybe].map(({ name }) => name)).not.toContain('poems')
})

it.each(['keyword', 'embedding'] as const)(
  '[BY-31] a message that a skill is not for does not find it by %s alone',
  async stages => {
    const tagged = { ...FILES, 'charts/SKILL.md': skill('chart', 'Draws charts of blood sugar.') }
    const find = async (message: string) => {
      await using library = await openLibrary(memory(tagged), { stages, embedder: readModel() })
      return (await library.search(message)).matches.map(({ name }) => name)
    }
    expect(await find(RIGHT)).toContain('chart')
    expect(await find(NEAR_MISS)).not.toContain('chart')
  },
)
