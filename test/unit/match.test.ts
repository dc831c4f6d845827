import { describe, expect, it } from 'vitest'
import { createSegmentBuilder, type SegmentDocument } from '../../src/search/index/build.js'
import { localMatcher } from '../../src/search/match/hybrid.js'
import type {
  LiveSegment,
  Matcher,
  MatcherOptions,
  MatchQuery,
} from '../../src/search/match/skill-match.js'

type Some = Partial<SegmentDocument> & { name: string }
const LIMIT = { limit: 5 }

function segment(skills: readonly Some[], more: Partial<LiveSegment> = {}): LiveSegment {
  const builder = createSegmentBuilder()
  for (const one of skills) builder.add({ description: '', tags: [], body: '', ...one })
  return {
    key: 'one',
    bytes: builder.finish(),
    ids: skills.map(({ name }) => `lib/${name}`),
    dead: [],
    ...more,
  }
}

async function open(...segments: LiveSegment[]): Promise<Matcher> {
  const matcher = localMatcher()
  await matcher.update({ revision: 'r1', segments })
  return matcher
}

const ask = async (
  skills: readonly Some[],
  query: string | MatchQuery,
  options: Partial<MatcherOptions> = {},
) => {
  const matcher = await open(segment(skills))
  const asked = typeof query === 'string' ? { message: query } : query
  const { matches } = await matcher.match(asked, { ...LIMIT, ...options })
  return matches.map(({ name }) => name)
}

const described = (name: string, description: string): Some => ({ name, description })
const filler = (count: number, text = 'general notes about other things'): Some[] =>
  Array.from({ length: count }, (_, index) => ({
    name: `filler-${index}`,
    description: `${text} ${index}`,
  }))

const LIBRARY: readonly Some[] = [
  { name: 'pdf', description: 'Extract tables and text from documents', tags: ['acrobat'] },
  {
    name: 'ppt',
    displayName: 'Slide Maker',
    description: 'Make slides and decks for a launch',
    body: 'templates',
  },
  {
    name: 'mail',
    description: 'Write letters to clients. Do NOT use for invoices, use billing instead.',
  },
  { name: 'billing', description: 'Write invoices and reminders' },
  { name: 'github-flow', description: 'Pull requests with GitHub Actions' },
  { name: 'recherche', description: 'Résumé de thèses et naïve Bayes' },
  { name: '数据', description: '数据分析和可视化图表' },
  { name: '翻译', description: '把中文翻译成英文' },
  { name: 'nihongo', description: '会議の議事録をまとめてメモを作成する' },
  { name: 'hangul', description: '회의록을 요약하고 발표자료를 만듭니다' },
  { name: 'thai', description: 'จองตั๋วเครื่องบินไปญี่ปุ่น' },
]

describe('the first match', () => {
  it.each<[message: string, name: string]>([
    ['extract the tables', 'pdf'],
    ['Slide Maker, please', 'ppt'],
    ['open it with acrobat', 'pdf'],
    ['templates', 'ppt'],
    ['remind me of invoices', 'billing'],
    ['github', 'github-flow'],
    ['GITHUB', 'github-flow'],
    ['hub', 'github-flow'],
    ['GitHub', 'github-flow'],
    ['resume these', 'recherche'],
    ['NAIVE', 'recherche'],
    ['nai\u0308ve', 'recherche'],
    ['ｐｄｆ', 'pdf'],
  ])('[BY-1] %s: %s', async (message, name) => {
    expect((await ask(LIBRARY, message))[0]).toBe(name)
  })

  it.each<[message: string, name: string]>([
    ['做数据分析', '数据'],
    ['做數據分析', '数据'],
    ['畫視覺化圖表', '数据'],
    ['翻譯成英文', '翻译'],
    ['議事録を作って', 'nihongo'],
    ['メモを作成', 'nihongo'],
    ['발표자료 준비', 'hangul'],
    ['요약해 줘', 'hangul'],
    ['ตั๋วเครื่องบิน', 'thai'],
  ])('[BY-4] %s: %s', async (message, name) => {
    expect((await ask(LIBRARY, message))[0]).toBe(name)
  })

  it('[BY-4] Simplified messages find skills written in Traditional', async () => {
    const skills = [described('a', '數據分析與視覺化'), described('b', '寫信給客戶')]
    expect([(await ask(skills, '数据分析'))[0], (await ask(skills, '写信给客户'))[0]]).toEqual([
      'a',
      'b',
    ])
  })

  const COVER = 'a cover letter'
  it.each<[what: string, better: Some, worse: Some, message: string]>([
    [
      'a name over a description',
      { name: 'invoice' },
      { name: 'other', description: 'invoice' },
      'an invoice',
    ],
    [
      'a description over a body',
      { name: 'x', description: 'invoice' },
      { name: 'y', body: 'invoice' },
      'an invoice',
    ],
    [
      'a pair of words',
      described('y', 'the cover letter of two'),
      described('x', 'letter the two of cover'),
      COVER,
    ],
    [
      'a pair in the description over one in the body',
      { name: 'y', description: 'cover letter', body: 'letter a cover' },
      { name: 'x', description: 'letter cover', body: 'cover letter' },
      'cover letter',
    ],
    [
      'a name that stands whole in the message over the word twice',
      { name: 'mail' },
      { name: 'mail-mail' },
      'mail',
    ],
    [
      'the rare word over the common one',
      described('y', 'rare'),
      described('x', 'the'),
      'the rare',
    ],
    [
      'what is for the message over what says it is not',
      { name: 'y', description: 'letters', body: 'Use for invoices too' },
      { name: 'x', description: 'Do NOT use for invoices.' },
      'invoices',
    ],
    [
      'a short description',
      described('y', 'maps'),
      described('x', `maps ${'of much more '.repeat(50)}`),
      'maps',
    ],
  ])('[BY-1] %s', async (_, better, worse, message) => {
    const around = filler(8)
    expect((await ask([better, worse, ...around], message))[0]).toBe(better.name)
    expect((await ask([...around, worse, better], message))[0]).toBe(better.name)
  })

  it('[BY-1] does not match what a description excludes', async () => {
    const skills = [
      described('mail', 'Write letters. Do NOT use for invoices.'),
      described('信', '写信。不要用于发票。'),
    ]
    expect(await ask(skills, 'invoices')).toEqual([])
    expect(await ask(skills, '发票')).toEqual([])
  })

  it('[BY-1] a common word does not decide in a library of two skills', async () => {
    const skills = [
      described('a', 'the the the the way to the notes of the day'),
      described('b', 'spreadsheets'),
    ]
    expect((await ask(skills, 'the spreadsheets'))[0]).toBe('b')
  })

  it('breaks ties by id, in any order of skills', async () => {
    const skills = ['b', 'c', 'a'].map(name => described(name, 'equal'))
    expect(await ask(skills, 'equal')).toEqual(['a', 'b', 'c'])
    const matcher = await open(
      ...skills.map((one, index) => segment([one], { key: String(index) })),
    )
    const { matches } = await matcher.match({ message: 'equal' }, LIMIT)
    expect(matches.map(({ name }) => name)).toEqual(['a', 'b', 'c'])
  })

  it('breaks ties by id beyond the number of candidates', async () => {
    const names = Array.from({ length: 200 }, (_, index) => `n${100 + ((index * 77) % 200)}`)
    const skills = names.map(name => described(name, 'equal'))
    const found = await ask(skills, 'equal', { limit: 100 })
    expect(found).toEqual([...names].sort().slice(0, 50))
  })
})

describe('history', () => {
  const past = 'make slides about our launch'
  const body = `Say yes when you do so; that is it. ${'More of this. '.repeat(100)}`
  const skills = [...LIBRARY, { name: 'chat', description: 'Small talk', body }]

  it('[BY-1] decides if the message is vague', async () => {
    expect((await ask(skills, { message: 'yes, do that', history: [past] }))[0]).toBe('ppt')
    expect((await ask(skills, { message: '好的', history: ['翻译成英文'] }))[0]).toBe('翻译')
    expect((await ask(skills, { message: '!', history: [past] }))[0]).toBe('ppt')
    expect((await ask(skills, { message: 'small yes, do that' }))[0]).toBe('chat')
    expect(await ask(skills, { message: 'yes, do that' })).toEqual([])
  })

  it('[BY-1] never outranks a specific message', async () => {
    const topic = Array.from({ length: 150 }, (_, index) => `topic${index}`).join(' ')
    const many = [...skills, { name: 'talk', description: topic }]
    for (const history of [[past], [past, past, past], [topic], [topic, past, topic]]) {
      for (const [message, name] of [
        ['extract the tables of my documents', 'pdf'],
        ['write invoices and reminders', 'billing'],
        ['翻译', '翻译'],
      ] as const)
        expect((await ask(many, { message, history }))[0]).toBe(name)
    }
    expect((await ask(many, { message: 'yes, do that', history: [topic] }))[0]).toBe('talk')
  })

  it('[BY-1] is read three messages back', async () => {
    const other = ['hm', 'well', 'so']
    expect(await ask(LIBRARY, { message: 'ok', history: [past, ...other.slice(1)] })).toContain(
      'ppt',
    )
    expect(await ask(LIBRARY, { message: 'ok', history: [past, ...other] })).toEqual([])
  })
})

describe('scores', () => {
  it('[BY-2] are probabilities, best first', async () => {
    const matcher = await open(segment([...LIBRARY, ...filler(30, 'make and write')]))
    const message = 'make slides and write letters'
    const { matches, served, revision, model } = await matcher.match({ message }, { limit: 50 })
    expect([revision, model, matches.length > 20]).toEqual(['r1', 'lexical/1', true])
    const scores = matches.map(({ score }) => score)
    expect(scores).toEqual([...scores].sort((a, b) => b - a))
    for (const score of scores) expect(score).toBeGreaterThanOrEqual(0)
    expect(scores[0]).toBeGreaterThan(0)
    expect(served).toBeLessThan(1)
    // Each says that its skill is right, so together they say no more than that one of them is.
    expect(scores.reduce((sum, score) => sum + score, 0)).toBeLessThanOrEqual(served + 1e-9)
  })

  it('[BY-2] are high if a skill serves the message and low if none does', async () => {
    const matcher = await open(segment(LIBRARY))
    const score = async (message: string): Promise<number> =>
      (await matcher.match({ message }, { limit: 1 })).matches[0]?.score ?? 0
    for (const message of ['use pdf to extract tables', 'make slides for a launch', '数据分析图表'])
      expect(await score(message), message).toBeGreaterThan(0.7)
    for (const message of [
      'what is the time in Lima',
      'tell me a joke about a horse',
      '给我讲个笑话',
      'thanks a lot',
    ])
      expect(await score(message), message).toBeLessThan(0.7)
  })

  it('[BY-2] [BY-23] a sibling lowers the score, not the probability that the library serves the message', async () => {
    const one = [...filler(10), { name: 'pdf', description: 'extract tables' }]
    const both = [...one, { name: 'sheet', description: 'extract tables' }]
    const figures = async (skills: Some[]) => {
      const { served, matches } = await (await open(segment(skills))).match(
        { message: 'extract tables' },
        { limit: 1 },
      )
      return { served, score: matches[0]?.score ?? 0 }
    }
    const [alone, beside] = [await figures(one), await figures(both)]
    expect(beside.served).toBeCloseTo(alone.served, 1)
    expect(beside.score).toBeLessThan(alone.score - 0.1)
  })

  it('scores do not depend on the limit', async () => {
    const matcher = await open(segment(filler(45)))
    const few = await matcher.match({ message: 'general notes' }, { limit: 3 })
    const many = await matcher.match({ message: 'general notes' }, { limit: 50 })
    expect(many.matches.slice(0, 3)).toEqual(few.matches)
  })

  it.each<[message: string, skills: readonly Some[], abstained: string | undefined]>([
    ['pdf', LIBRARY, undefined],
    ['', LIBRARY, 'empty-message'],
    [' \n\t', LIBRARY, 'empty-message'],
    ['?!… 🎉 — ،', LIBRARY, 'empty-message'],
    ['\0\0\0', LIBRARY, 'empty-message'],
    ['zyzzyva', LIBRARY, 'no-common-word'],
    ['__proto__', LIBRARY, 'no-common-word'],
    ['constructor', LIBRARY, 'no-common-word'],
    ['hasOwnProperty valueOf', LIBRARY, 'no-common-word'],
    ['\ud800', LIBRARY, 'empty-message'],
    ['\udfff\ud840', LIBRARY, 'no-common-word'],
    ['pdf', [], 'empty-library'],
    ['', [], 'empty-library'],
  ])('[BY-2] abstains from %j over %#', async (message, skills, abstained) => {
    const result = await (await open(segment(skills))).match({ message }, { limit: 3 })
    expect([result.abstained, result.matches.length > 0]).toEqual([
      abstained,
      abstained === undefined,
    ])
  })

  it('[BY-2] abstains before the first update and when all skills are dead', async () => {
    const matchers = [
      localMatcher(),
      await open(segment(LIBRARY, { dead: LIBRARY.map((_, index) => index) })),
    ]
    for (const matcher of matchers) {
      const found = await matcher.match({ message: 'pdf' }, LIMIT)
      expect(found).toMatchObject({ matches: [], abstained: 'empty-library' })
    }
  })

  it('words such as "constructor" are ordinary words', async () => {
    const skills = [described('__proto__', 'constructor'), described('other', 'toString')]
    expect(await ask(skills, '__proto__')).toEqual(['__proto__'])
    expect(await ask(skills, 'constructor')).toEqual(['__proto__'])
    expect(await ask(skills, 'tostring')).toEqual(['other'])
  })

  it.each<[string, string]>([
    ['words', 'extract tables from my document and then '],
    ['words that differ', ''],
    ['ideographs', '数据分析和可视化图表'],
    ['camelCase', 'extractTablesFromDocuments'],
    ['marks', 'pdf e\u0301\u0301\u0301\u0301'],
  ])('reads a message of 30,000 characters: %s', async (_, text) => {
    const long = (
      text || Array.from({ length: 6_000 }, (_, index) => `the w${index} pdf`).join(' ')
    )
      .repeat(text ? 30_000 / text.length + 1 : 1)
      .slice(0, 30_000)
    const matcher = await open(segment([...LIBRARY, ...filler(100)]))
    const { matches } = await matcher.match({ message: long, history: [long] }, { limit: 3 })
    expect(['pdf', '数据']).toContain(matches[0]?.name)
  })
})

describe('filters and limits', () => {
  it('returns only the requested skills, up to the limit', async () => {
    const many = filler(20)
    expect(await ask(many, 'notes', { limit: 7 })).toHaveLength(7)
    const only = new Set(['lib/filler-3', 'lib/filler-15', 'lib/none'])
    expect(await ask(many, 'notes', { only })).toEqual(['filler-15', 'filler-3'])
    expect(await ask(many, 'notes', { only: new Set() })).toEqual([])
  })

  it('finds a requested skill beyond the best fifty', async () => {
    const many = [...filler(200, 'notes notes notes'), { name: 'last', body: 'notes' }]
    expect(await ask(many, 'notes', { only: new Set(['lib/last']) })).toEqual(['last'])
  })

  it('[BY-1] dead skills are never found and do not count in any statistic', async () => {
    const skills = [
      described('pdf', 'tables'),
      ...filler(30, 'tables here'),
      described('text', 'tables'),
    ]
    const dead = skills.flatMap(({ name }, index) => (name === 'pdf' || index % 2 ? [index] : []))
    const gone = new Set(dead)
    const live = skills.filter((_, index) => !gone.has(index))
    // More numbers than skills, twice, in no order.
    const some = await open(segment(skills, { dead: [...dead.reverse(), 999, ...dead] }))
    const fresh = await open(segment(live))
    for (const message of ['pdf tables', 'tables here', 'filler 4']) {
      const result = await some.match({ message }, { limit: 50 })
      expect(result).toEqual(await fresh.match({ message }, { limit: 50 }))
      expect(result.matches.length).toBeGreaterThan(0)
    }
    expect(await some.explain({ message: 'pdf' }, 'lib/pdf')).toBeUndefined()
  })

  it('an id dead in one segment and live in another gives the live skill', async () => {
    const matcher = await open(
      segment([{ name: 'pdf', description: 'old words' }], { dead: [0] }),
      segment([{ name: 'pdf', description: 'new words' }], { key: 'two' }),
    )
    expect((await matcher.match({ message: 'old' }, { limit: 3 })).matches).toEqual([])
    expect((await matcher.match({ message: 'words' }, { limit: 3 })).matches).toHaveLength(1)
    expect(await matcher.explain({ message: 'new' }, 'lib/pdf')).toMatchObject({ rank: 1 })
  })
})

describe('explain', () => {
  const skills = [
    ...filler(80, 'notes notes notes'),
    { name: 'last', description: `${'other '.repeat(40)}notes` },
  ]

  it('[BY-3] returns the match with its rank', async () => {
    const matcher = await open(segment(skills))
    const query = { message: 'general notes 7', history: ['notes 9'] }
    const { matches } = await matcher.match(query, { limit: 50 })
    expect(matches).toHaveLength(50)
    for (const [index, match] of matches.entries())
      expect(await matcher.explain(query, match.id)).toEqual({ ...match, rank: index + 1 })
  })

  it('[BY-3] ranks skills beyond the candidates below them', async () => {
    const matcher = await open(segment(skills))
    const { matches } = await matcher.match({ message: 'notes' }, { limit: 50 })
    const worst = matches.at(-1)?.score as number
    const ranked = await matcher.explain({ message: 'notes' }, 'lib/last')
    expect(ranked).toMatchObject({ id: 'lib/last', name: 'last', rank: 51 })
    expect(ranked?.score).toBeGreaterThan(0)
    expect(ranked?.score).toBeLessThanOrEqual(worst)
    expect(ranked?.signals.terms).toMatchObject([{ term: 'notes', fields: ['description'] }])
  })

  it('[BY-3] never scores a skill beyond the candidates above them, even with a name rule', async () => {
    const words = Array.from({ length: 200 }, (_, index) => `w${index}`).join(' ')
    const mail = { name: 'mail', displayName: `${words} ${words}` }
    const matcher = await open(segment([...filler(60, `mail ${words}`), mail]))
    const { matches } = await matcher.match({ message: 'mail' }, { limit: 50 })
    const found = await matcher.explain({ message: 'mail' }, 'lib/mail')
    expect(found).toMatchObject({ rank: 51, signals: { rules: [{ rule: 'name', text: 'mail' }] } })
    expect(found?.score).toBeLessThanOrEqual(matches.at(-1)?.score as number)
  })

  it.each([
    ['another word', 'zyzzyva', 'lib/last'],
    ['no word', '', 'lib/last'],
    ['a skill that is not there', 'notes', 'lib/none'],
  ])('[BY-3] is undefined for %s', async (_, message, id) => {
    expect(await (await open(segment(skills))).explain({ message }, id)).toBeUndefined()
  })
})

describe('the lifecycle of a matcher', () => {
  it('reuses segments with a known key and replaces the rest in one step', async () => {
    const matcher = await open(segment([{ name: 'a', description: 'first' }]))
    const progress: unknown[] = []
    // The same key: its bytes are not read again.
    const known = { ...segment([{ name: 'a' }]), bytes: new Uint8Array(0) }
    const segments = [known, segment([described('b', 'second')], { key: 'two' })]
    await matcher.update({ revision: 'r2', segments }, { onProgress: step => progress.push(step) })
    expect(progress).toEqual([
      { phase: 'update', done: 1, total: 2 },
      { phase: 'update', done: 2, total: 2 },
    ])
    const { matches, revision } = await matcher.match({ message: 'first second' }, { limit: 3 })
    expect([revision, matches.map(({ id }) => id).sort()]).toEqual(['r2', ['lib/a', 'lib/b']])
    await matcher.update({ revision: 'r3', segments: [] })
    expect(await matcher.match({ message: 'first' }, { limit: 3 })).toMatchObject({
      abstained: 'empty-library',
    })
  })

  it('keeps its segments if an update fails', async () => {
    const matcher = await open(segment([{ name: 'a', description: 'first' }]))
    const bad = { ...segment([]), key: 'bad', bytes: new TextEncoder().encode('not a segment') }
    const failed = matcher.update({ revision: 'r2', segments: [bad] })
    await expect(failed).rejects.toMatchObject({ code: 'format', details: { subject: 'bad' } })
    const aborted = matcher.update(
      { revision: 'r2', segments: [segment([])] },
      { signal: AbortSignal.abort() },
    )
    await expect(aborted).rejects.toMatchObject({ code: 'aborted' })
    const { revision, matches } = await matcher.match({ message: 'first' }, { limit: 3 })
    expect([revision, matches.length]).toEqual(['r1', 1])
  })

  const a = segment([{ name: 'a' }])
  it.each<[string, (matcher: Matcher, options: { signal?: AbortSignal }) => Promise<unknown>]>([
    ['match', (matcher, options) => matcher.match({ message: 'a' }, { limit: 1, ...options })],
    ['explain', (matcher, options) => matcher.explain({ message: 'a' }, 'lib/a', options)],
    ['update', (matcher, options) => matcher.update({ revision: '', segments: [a] }, options)],
  ])('%s rejects when closed and when aborted', async (_, call) => {
    const matcher = await open(a)
    await call(matcher, {})
    const aborted = call(matcher, { signal: AbortSignal.abort() })
    await expect(aborted).rejects.toMatchObject({ code: 'aborted', name: 'AbortError' })
    await matcher.close()
    await matcher.close()
    await expect(call(matcher, {})).rejects.toMatchObject({ code: 'closed' })
  })
})
