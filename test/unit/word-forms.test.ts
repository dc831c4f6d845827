import { describe, expect, it } from 'vitest'
import { openLibrary } from '../../src/exports/index.js'
import { findTerms, namedTerms } from '../../src/exports/match.js'
import { createSegmentBuilder, type SegmentDocument } from '../../src/search/index/build.js'
import { localMatcher } from '../../src/search/match/hybrid.js'
import { inflect } from '../../src/search/match/inflections.js'
import type { MatcherResult, MatchQuery } from '../../src/search/match/skill-match.js'

type Skills = Record<string, Partial<SegmentDocument>>

/** Ranks skills that are divided into some number of segments. */
async function rank(
  skills: Skills,
  query: string | MatchQuery,
  segments = 1,
): Promise<MatcherResult> {
  const matcher = localMatcher()
  const all = Object.entries(skills)
  const parts = Array.from({ length: segments }, (_, part) =>
    all.filter((_, at) => at % segments === part),
  )
  const segment = (part: typeof all, key: number) => {
    const builder = createSegmentBuilder()
    for (const [name, one] of part)
      builder.add({ name, description: '', tags: [], body: '', ...one })
    return { key: String(key), bytes: builder.finish(), ids: part.map(([name]) => name), dead: [] }
  }
  await matcher.update({ revision: '', segments: parts.map(segment) })
  return matcher.match(typeof query === 'string' ? { message: query } : query, { limit: 20 })
}

const describeAll = (descriptions: string[]): Skills =>
  Object.fromEntries(descriptions.map((description, at) => [`s${at}`, { description }]))

describe('inflected words', () => {
  it.each([
    ['en', 'thumbnails', 'Makes a thumbnail', 'thumbnail'],
    ['en', 'a thumbnail, please', 'Makes thumbnails', 'thumbnails'],
    ['en', 'two categories', 'Sorts by category', 'category'],
    ['en', 'i am planning it', 'Makes a plan', 'plan'],
    ['en', 'resize', 'Resizing of pictures', 'resizing'],
    ['zh', '做两个 thumbnails', 'Makes a thumbnail', 'thumbnail'],
    ['es', 'una factura', 'Crea facturas', 'facturas'],
    ['es', 'traducciones para mi', 'Hace una traducción', 'traduccion'],
    ['de', 'die Rechnungen', 'Schreibt eine Rechnung', 'rechnung'],
    ['de', 'mit den Büchern', 'Liest ein Buch', 'buch'],
    ['fr', 'mes tableaux', 'Remplit un tableau', 'tableau'],
    ['fr', 'des images', 'Réduit une image', 'image'],
    ['pt', 'as imagens', 'Corta uma imagem', 'imagem'],
    ['pt', 'as traduções', 'Faz uma tradução', 'traducao'],
    ['ru', 'нарисуй таблицы', 'Создаёт таблицу', 'таблицу'],
    ['ru', 'новых документов', 'Пишет документ', 'документ'],
  ])(
    '[BY-1] %s: "%s" finds "%s", and the reason shows the form found',
    async (_, message, description, form) => {
      const { matches } = await rank(describeAll([description, 'Something else']), message)
      expect(matches[0]).toMatchObject({
        id: 's0',
        signals: { terms: [{ term: form, form: 'inflection' }] },
      })
      const text = matches[0]?.signals.terms[0]?.text
      expect(matches[0]?.reason).toBe(`matches “${form} (for ${text})” in its description`)
    },
  )

  it('[BY-1] a word as written ranks above another form of it', async () => {
    const { matches } = await rank(
      describeAll(['Makes a thumbnail', 'Makes thumbnails']),
      'thumbnails',
    )
    expect(matches.map(({ id }) => id)).toEqual(['s1', 's0'])
    expect(matches[0]?.signals.terms[0]).not.toHaveProperty('form')
  })

  it('[BY-1] words that look like another form are none', async () => {
    for (const [message, description] of [
      ['the news', 'A new thing'],
      ['a poster', 'Writes a post'],
      ['mp3s', 'mp3 files'],
      ['plane.', 'A planetarium'],
      ['I want to go by plane.', 'Makes a plan'],
    ] as const)
      expect((await rank(describeAll([description]), message)).matches, message).toEqual([])
  })

  it('[BY-1] other forms count for words of the message only, not for the history', async () => {
    const skills = describeAll(['Makes a thumbnail'])
    expect(
      (await rank(skills, { message: 'that zzyzx', history: ['thumbnails'] })).matches,
    ).toEqual([])
    expect(
      (await rank(skills, { message: 'that zzyzx', history: ['thumbnail'] })).matches,
    ).toHaveLength(1)
  })

  it('[BY-1] lists forms that start with their prefix', () => {
    for (const word of [
      'thumbnails',
      'planning',
      'categories',
      'resize',
      'таблицами',
      'traducoes',
    ]) {
      const { prefix, forms, longest } = inflect(word, []) ?? {
        prefix: '?',
        forms: new Set<string>(),
        longest: 0,
      }
      expect(forms.size).toBeGreaterThan(0)
      expect(forms.has(word)).toBe(false)
      for (const form of forms)
        expect(form.startsWith(prefix) && form.length <= longest, form).toBe(true)
    }
  })
})

describe('an unfinished word', () => {
  const skills = describeAll(['Edits spreadsheets', 'Sorts a catalog'])

  it('[BY-1] at the end of a message finds the words that start with it', async () => {
    const { matches } = await rank(skills, 'edit my spreads')
    expect(matches[0]?.id).toBe('s0')
    const completion = expect.objectContaining({ term: 'spreadsheets', form: 'completion' })
    expect(matches[0]?.signals.terms).toContainEqual(completion)
    expect(matches[0]?.reason).toContain('“spreadsheets (for spreads)”')
  })

  it.each(['spread ', 'spread, please', 'spread?', 'spread it', 'sp'])(
    '[BY-1] "%s" has none',
    async message => {
      expect((await rank(skills, message)).matches).toEqual([])
    },
  )

  it('[BY-1] a word that a skill has is finished', async () => {
    const { matches } = await rank(describeAll(['The form', 'A formula']), 'form')
    expect(matches.map(({ id }) => id)).toEqual(['s0'])
  })
})

describe('a typing error', () => {
  it.each([
    ['swapped letters', 'thumbnial'],
    ['a missing letter', 'thumnail'],
    ['an additional letter', 'thumbnaiil'],
    ['a wrong letter', 'thumbmail'],
    ['swapped letters of a short word', 'thnig'],
  ])('[BY-1] %s: "%s" finds the word', async (_, message) => {
    const { matches } = await rank(describeAll(['Makes a thumbnail of a thing']), `${message}.`)
    expect(matches[0]?.signals.terms[0]?.form).toBe('correction')
  })

  it.each([
    ['two errors', 'thubmnial'],
    ['an error in the first two letters', 'tumbnail'],
    ['a short word', 'thign lunch'],
    ['digits', 'thumbnail2'],
  ])('[BY-1] %s: "%s" finds nothing', async (_, message) => {
    expect(
      (await rank(describeAll(['Makes a thumbnail, then a launch']), `${message}.`)).matches,
    ).toEqual([])
  })

  it('[BY-1] a word that a skill has is not corrected', async () => {
    const { matches } = await rank(
      describeAll(['Plans a dinner', 'Opens a dinners', 'Runs a diner']),
      'dinner.',
    )
    expect(matches.map(({ id }) => id)).toEqual(['s0', 's1'])
  })
})

describe('forms of words', () => {
  const thumbnails = [
    'Makes a thumbnail',
    'Makes thumbnails of a page',
    'Edits a spreadsheet with a thumbnail',
  ]
  const skills = describeAll([
    ...thumbnails,
    'Edits spreadsheets',
    'Deploys pages',
    'Reports on deployment',
  ])

  it.each(['thumbnails of pages', 'spreadhseet deploying', 'edit sprea'])(
    '[BY-1] "%s" ranks the same in one segment and in several',
    async message => {
      const one = await rank(skills, message)
      expect(one.matches.length).toBeGreaterThan(1)
      for (const segments of [2, 3, 6])
        expect((await rank(skills, message, segments)).matches).toEqual(one.matches)
    },
  )

  it('[BY-1] are highlighted where the skill has them', async () => {
    const thumb = '---\nname: thumb\ndescription: Makes a thumbnail for you\n---\n'
    await using library = await openLibrary({ 'thumb/SKILL.md': thumb })
    const [match] = (await library.search('thumbnails for me')).matches
    const terms = namedTerms(match?.signals ?? { terms: [] }).map(({ term }) => term)
    expect(findTerms('Makes a thumbnail for you', terms)).toEqual([{ start: 8, end: 17 }])
    const [chinese] = (await library.search('thumbnails for me', { language: 'zh' })).matches
    expect(chinese?.reason).toBe('描述中有“thumbnail（消息中为 thumbnails）”')
  })
})

describe('function words', () => {
  const skills = describeAll([
    'A the and how do I what is it for you, please: чтобы как сделать это, como hacer la de un que o para, wie kann ich das, comment est ce que je le',
    '这个怎么用，帮我弄一下。これはどうすればいいですか。이거 어떻게 해 주세요',
  ])

  it.each([
    ...['a', 'the and', 'how do I', "what's that for?", '这个怎么', '幫我弄一下', '这个怎么用？'],
    ...[
      'これはどうすればいいですか',
      'お願いします',
      '이거 어떻게 해',
      '이걸 좀 해 주세요',
      '¿cómo puedo?',
    ],
    ...[
      'para que es esto',
      'wie kann ich das',
      "comment est-ce que je peux l'",
      'como eu posso',
      'как мне это',
    ],
  ])('[BY-2] "%s" is answered with nothing', async message => {
    expect(await rank(skills, message)).toMatchObject({ matches: [], abstained: 'empty-message' })
  })

  it('[BY-2] are answered by the history', async () => {
    const { matches } = await rank(describeAll(['Makes a deck']), {
      message: 'how do I',
      history: ['a deck'],
    })
    expect(matches[0]?.reason).toBe('matches what was said before or pasted')
  })

  it.each([
    ['how do I make the deck', 'How the deck is made', ['deck']],
    ['wie kann ich das Dokument teilen', 'Wie das Dokument ist', ['dokument']],
    ['这个怎么翻译', '怎么办：翻译', ['翻译']],
    ['как мне перевести документ', 'Это документ, как мне', ['документ']],
  ])('[BY-2] neither explain nor light up: %s', async (message, description, terms) => {
    const { matches } = await rank(describeAll([description]), message)
    expect(matches[0]?.signals.terms.map(({ term }) => term)).toEqual(terms)
    expect(findTerms(description, terms)).toHaveLength(1)
  })

  it('[BY-2] names in Latin letters are none in a Chinese message', async () => {
    const { matches } = await rank(describeAll(['Supports IT staff']), '联系 IT 部门')
    expect(matches[0]?.signals.terms.map(({ term }) => term)).toEqual(['it'])
  })
})

describe('parts of compound words', () => {
  it.each([
    ['sql', 'Talks to MySQL'],
    ['hub', 'Opens GitHub'],
    ['sql tuning', 'Tuning of MySQL'],
  ])('[BY-3] "%s" is explained by the field it stands in', async (message, description) => {
    const found = (await rank(describeAll([description]), message)).matches[0]?.reason
    for (const term of message.split(' ')) expect(found).toContain(`“${term}”`)
    expect(found).toMatch(/^matches .* in its description$/)
  })

  it('[BY-3] parts of a name and of the instructions, too', async () => {
    const skills = { MySQLTool: { body: 'Runs PostScript files' } }
    expect((await rank(skills, 'sql')).matches[0]?.reason).toBe('matches “sql” in its name')
    expect((await rank(skills, 'script')).matches[0]?.reason).toBe(
      'matches “script” in its instructions',
    )
  })

  it('[BY-3] "my" is not explained by MySQL', async () => {
    expect((await rank(describeAll(['Talks to MySQL']), 'my')).matches).toEqual([])
    const { matches } = await rank(describeAll(['Talks to MySQL databases']), 'my database')
    expect(matches[0]?.signals.terms.map(({ term }) => term)).toEqual(['databases'])
  })

  it('[BY-3] a skill with 1,000 compound words keeps its forward list in bounds', async () => {
    const description = Array.from(
      { length: 1_000 },
      (_, at) => `${'ab'.repeat(1 + (at % 10))}Zebra`,
    ).join(' ')
    expect((await rank({ many: { description } }, 'zebra')).matches[0]?.id).toBe('many')
  })
})
