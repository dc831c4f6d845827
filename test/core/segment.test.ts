import { describe, expect, it } from 'vitest'
import { randomFrom } from '../../bench/random.js'
import { readSections, writeSections } from '../../src/core/byte-sections.js'
import { analyze, TERM } from '../../src/core/text/analyze.js'
import { createSegmentBuilder, type SegmentDocument } from '../../src/search/index/build.js'
import {
  byCodePoint,
  createLexiconWriter,
  openLexicon,
  sortTerms,
} from '../../src/search/index/lexicon.js'
import { mergeSegments } from '../../src/search/index/merge.js'
import { openSegment, type Segment } from '../../src/search/index/open.js'
import { eachPosting } from '../../src/search/index/postings.js'

function build(documents: readonly Partial<SegmentDocument>[]): Uint8Array<ArrayBuffer> {
  const builder = createSegmentBuilder()
  for (const one of documents)
    builder.add({ name: '', description: '', tags: [], body: '', ...one })
  return builder.finish()
}

function open(bytes: Uint8Array): Segment {
  const segment = openSegment(bytes)
  if (!segment) throw new Error('not a segment')
  return segment
}

type Postings = Map<string, Map<number, number>>

/** Every term with the skills that have it and their weight bytes, read from a segment. */
function readAll(segment: Segment): Postings {
  const all: Postings = new Map()
  for (const entry of segment.lexicon.entries()) {
    const skills = new Map<number, number>()
    eachPosting(segment, entry, (skill, weight) => skills.set(skill, weight))
    expect(entry.count, entry.term).toBe(skills.size)
    expect(all.has(entry.term), `${entry.term} stands twice`).toBe(false)
    all.set(entry.term, skills)
  }
  return all
}

/** The same statistics, made naively: BM25F over name, description and body, a byte a posting. */
function reference(documents: readonly SegmentDocument[]): Postings {
  const all: Postings = new Map()
  for (const [
    skill,
    { name, displayName = '', description, whenToUse = '', tags, body },
  ] of documents.entries()) {
    const frequencies = new Map<string, number>()
    const fields: [texts: string[], weight: number, average: number][] = [
      [[name, displayName === name ? '' : displayName], 2, 3],
      [[...tags, description, whenToUse], 1, 40],
      [[body.slice(0, 20_000)], 0.25, 650],
    ]
    for (const [texts, weight, average] of fields) {
      const terms = texts.flatMap(termsOf)
      const each = weight / (0.25 + (0.75 * terms.length) / average)
      for (const term of terms)
        frequencies.set(term, Math.fround((frequencies.get(term) ?? 0) + each))
    }
    for (const [term, frequency] of frequencies) {
      const skills = all.get(term) ?? new Map<number, number>()
      all.set(
        term,
        skills.set(skill, Math.max(1, Math.round((frequency / (frequency + 1.5)) * 255))),
      )
    }
  }
  return all
}

function termsOf(text: string): string[] {
  const terms: string[] = []
  analyze(text, (term, kind) => {
    if (kind & TERM) terms.push(term)
  })
  return terms
}

/** Words that share prefixes, camelCase, accents, every kind of script. */
const VOCABULARY = [
  ...'pre pref prefix prefixes prefixed presentation slides slide deck GitHub camelCase naïve café 3d a b c'.split(
    ' ',
  ),
  ...'数据分析 数据 幻灯片 資料庫 スライド プレゼン 발표자료 สไลด์ отчёт αβγ'.split(' '),
  ...Array.from({ length: 200 }, (_, index) => `w${index.toString(36)}`),
]

function generate(count: number, seed: number, length = 60): SegmentDocument[] {
  const random = randomFrom(seed)
  const text = (words: number): string =>
    Array.from(
      { length: words },
      () => VOCABULARY[Math.floor(random() ** 2 * VOCABULARY.length)],
    ).join(' ')
  return Array.from({ length: count }, () => ({
    name: text(1 + Math.floor(random() * 3)),
    ...(random() < 0.3 ? { displayName: text(2) } : {}),
    description: text(Math.floor(random() * 30)),
    ...(random() < 0.2 ? { whenToUse: text(5) } : {}),
    tags: random() < 0.5 ? [text(1), text(1)] : [],
    body: text(Math.floor(random() * length)),
  }))
}

describe('a segment read back', () => {
  it('[BY-1] finds the terms that start with a prefix, up to a length in bytes', () => {
    const { lexicon } = open(build(generate(40, 4)))
    const all = [...lexicon.entries()]
    const bytes = (text: string): number => new TextEncoder().encode(text).length
    for (const prefix of [
      '',
      ...'p pref prefixes prefixesx w w5 отч 数 数据 ス \u{10ffff} a z'.split(' '),
    ]) {
      for (const maxExtra of [0, 1, 3, 100]) {
        const found: unknown[] = []
        lexicon.findPrefix(prefix, maxExtra, (term, entry) => found.push({ term, ...entry }))
        const expected = all.filter(
          ({ term }) => term.startsWith(prefix) && bytes(term) <= bytes(prefix) + maxExtra,
        )
        expect(found, `${prefix} ${maxExtra}`).toEqual(expected)
      }
    }
  })

  it.each([1, 2, 3])('[BY-1] holds every posting of generated skills (seed %i)', seed => {
    const documents = generate(40, seed)
    const segment = open(build(documents))
    const expected = reference(documents)
    expect(readAll(segment)).toEqual(expected)
    expect(segment.head).toMatchObject({
      skills: 40,
      terms: expected.size,
      postings: [...expected.values()].reduce((sum, skills) => sum + skills.size, 0),
    })
    expect([...segment.lexicon.entries()].map(({ term }) => term)).toEqual(
      [...expected.keys()].sort(byCodePoint),
    )
    for (const [skill, { name, displayName = '', tags }] of documents.entries())
      expect(segment.names.get(skill)).toBe([name, displayName, ...tags].join('\n'))
  })

  it('[BY-1] finds the same random terms as a Map, and no others', () => {
    const documents = generate(60, 4)
    const { lexicon } = open(build(documents))
    const expected = reference(documents)
    const terms = [...expected.keys()]
    const random = randomFrom(5)
    const pick = (): string => terms[Math.floor(random() * terms.length)] as string
    for (let round = 0; round < 350; round++) {
      const others = [
        `${pick()}x`,
        pick().slice(0, -1),
        pick() + pick(),
        `w${Math.floor(random() * 9_999)}`,
        '',
      ]
      for (const term of [pick(), ...others])
        expect([term, lexicon.find(term)?.count]).toEqual([term, expected.get(term)?.size])
    }
  })

  it.each([0, 1, 15, 16, 17, 31, 32, 33])(
    'finds each of %i terms around the blocks of 16',
    count => {
      const terms = Array.from(
        { length: count },
        (_, index) => `t${String(index).padStart(2, '0')}`,
      )
      const { lexicon, head } = open(build([{ name: terms.join(' ') }]))
      expect(head.terms).toBe(count)
      for (const term of terms) expect([term, lexicon.find(term)?.count]).toEqual([term, 1])
      for (const absent of ['a', 't', 't0', 't000', 't07x', 't1', 't99', 'u'])
        expect(lexicon.find(absent)).toBeUndefined()
    },
  )

  it('keeps terms outside the basic plane in code point order', () => {
    const terms = sortTerms(['😀', 'z', '\uffee', '😀a', '𠀀', '\ue000', '😁', 'za', '𠀀𠀁'])
    expect(terms).toEqual(['z', 'za', '\ue000', '\uffee', '😀', '😀a', '😁', '𠀀', '𠀀𠀁'])
    const writer = createLexiconWriter()
    for (const [index, term] of terms.entries()) writer.add(term, index + 1, index)
    const { lexi, lexb } = writer.finish()
    const lexicon = openLexicon(lexi, lexb, terms.length, terms.length)
    expect([...lexicon.entries()].map(({ term }) => term)).toEqual(terms)
    let start = 0
    for (const [index, term] of terms.entries()) {
      expect(lexicon.find(term)).toEqual({ start, length: index + 1, count: index })
      start += index + 1
    }
    for (const absent of ['😂', '\ud83d', '𠀀𠀂', '\uffff'])
      expect(lexicon.find(absent)).toBeUndefined()
  })

  it('counts lone surrogates once', () => {
    const segment = open(
      build([{ name: '𠀀', body: '𪜶𠀀' }, { name: '𪜶' }, { name: 'a\ud840b' }]),
    )
    const all = readAll(segment)
    for (const term of ['𠀀', '𪜶', 'a\ud840b'].flatMap(termsOf))
      expect(segment.lexicon.find(term)).toBeDefined()
    for (const skills of all.values()) expect([...skills.keys()]).toEqual([...skills.keys()].sort())
  })

  it('reads terms longer than any buffer', () => {
    const long = 'x'.repeat(9_000)
    const segment = open(build([{ body: `${long}Yes short` }]))
    expect(new Set(readAll(segment).keys())).toEqual(new Set(termsOf(`${long}Yes short`)))
  })

  it('[BY-1] counts 50 terms of 10,000 skills like a plain count', () => {
    const random = randomFrom(6)
    const words = Array.from({ length: 3_000 }, (_, index) => `v${index}`)
    const skills = Array.from({ length: 10_000 }, () =>
      Array.from({ length: 40 }, () => words[Math.floor(random() ** 3 * words.length)] as string),
    )
    const documents = skills.map(some => ({
      name: some[0] as string,
      description: some.slice(1, 12).join(' '),
      body: some.join(' '),
    }))
    const segment = open(build(documents))
    expect(segment.length).toBe(10_000)
    for (let index = 0; index < 3_000; index += 60) {
      const term = `v${index}`
      const having = skills.flatMap((some, skill) => (some.includes(term) ? [skill] : []))
      const found: number[] = []
      const entry = segment.lexicon.find(term)
      if (entry) eachPosting(segment, entry, skill => found.push(skill))
      expect([term, entry?.count, found]).toEqual([term, having.length, having])
    }
  })

  it('keeps the first 256 words of a skill in order, head before body', () => {
    const long = { name: 'one', body: 'two '.repeat(500) }
    const segment = open(build([{ name: 'one', description: 'two three', body: 'four' }, long]))
    const [gap, one, two] = [0, ...segment.sequenceOf(1)]
    expect([...segment.sequenceOf(0)].map(code => [gap, one, two].indexOf(code))).toEqual([
      1, 0, -1, -1, 0, -1, 0,
    ])
    expect([segment.headOf(0), segment.headOf(1), segment.sequenceOf(1).length]).toEqual([
      5, 2, 256,
    ])
  })

  it('opens without skills', () => {
    const segment = open(build([]))
    expect([segment.length, [...segment.lexicon.entries()], segment.lexicon.find('a')]).toEqual([
      0,
      [],
      undefined,
    ])
  })

  it.each([1, 2, 3, 4, 5, 6, 7, 8])('opens at byte %i of a larger buffer', offset => {
    const documents = generate(5, 7)
    const bytes = build(documents)
    // The slice of a Node Buffer gives a view, not a copy.
    class Borrowed extends Uint8Array<ArrayBuffer> {
      override slice = this.subarray
    }
    for (const type of [Uint8Array, Borrowed]) {
      const view = new type(new ArrayBuffer(bytes.length + 16), offset, bytes.length)
      view.set(bytes)
      expect(readAll(open(view))).toEqual(reference(documents))
    }
  })

  it('[BY-5] writes the same bytes for the same skills', () => {
    expect(build(generate(30, 8))).toEqual(build(generate(30, 8)))
    expect(build(generate(30, 8))).not.toEqual(build(generate(30, 9)))
  })
})

describe('the format', () => {
  const fixed = [
    {
      name: 'ppt',
      displayName: 'PPT生成',
      description: '生成幻灯片. Makes slides.',
      tags: ['deck'],
      body: '# Slides\n按步骤',
    },
    {
      name: 'git-helper',
      description: 'Works with GitHub. Do NOT use for mail.',
      body: 'commit, push, café',
    },
    { name: 'café', description: '', body: '' },
    ...['tea', 'milk', 'bread', 'salt', 'soup'].map(name => ({
      name,
      description: `About ${name}`,
      body: '',
    })),
  ]
  const bytes = build(fixed)
  const sections = Object.fromEntries(readSections(bytes) ?? [])
  const headJson = JSON.parse(new TextDecoder().decode(sections['head'])) as Record<string, unknown>
  const withHead = (head: unknown): Uint8Array => {
    const text = typeof head === 'string' ? head : JSON.stringify(head)
    return writeSections({ ...sections, head: new TextEncoder().encode(text) })
  }
  const patched = (patch: (view: DataView) => void): Uint8Array => {
    const copy = bytes.slice()
    patch(new DataView(copy.buffer))
    return copy
  }
  const without = (tag: string): Uint8Array =>
    writeSections(Object.fromEntries(Object.entries(sections).filter(([one]) => one !== tag)))
  const tags = Object.keys(sections)

  it.each<[string, Uint8Array]>([
    ['nothing', new Uint8Array(0)],
    ['text', new TextEncoder().encode('<!doctype html><title>404</title>')],
    ['another magic', patched(view => view.setUint8(0, 0x73))],
    ['version 0', patched(view => view.setUint16(4, 0, true))],
    ['version 2', patched(view => view.setUint16(4, 2, true))],
    ['another analyzer', withHead({ ...headJson, analyzer: 'words/9' })],
    ['another scoring', withHead({ ...headJson, scoring: 'bm25/9' })],
    ['a head that is not JSON', withHead('{"analyzer":')],
    ['a head that is null', withHead('null')],
    ['a head that is a number', withHead('7')],
    [
      'a head without counts',
      withHead({ analyzer: headJson['analyzer'], scoring: headJson['scoring'] }),
    ],
    ['more skills than columns', withHead({ ...headJson, skills: 4 })],
    ['fewer skills than none', withHead({ ...headJson, skills: -1 })],
    ['more terms than blocks', withHead({ ...headJson, terms: 1e9 })],
    ['more sections than bytes', patched(view => view.setUint16(6, 65_535, true))],
    ['fewer names than skills', writeSections({ ...sections, name: new Uint8Array(8) })],
    ...tags.map((tag): [string, Uint8Array] => [`no ${tag}`, without(tag)]),
    ...tags.flatMap((tag, index): [string, Uint8Array][] => [
      [`${tag} beyond the end`, patched(view => view.setUint32(12 + index * 12, 0xfffffff8, true))],
      [`${tag} at an odd offset`, patched(view => view.setUint32(12 + index * 12, 1, true))],
      [
        `${tag} longer than the rest`,
        patched(view => view.setUint32(16 + index * 12, 0xffffffff, true)),
      ],
    ]),
  ])('[BY-5] refuses %s', (_, some) => {
    expect(openSegment(some)).toBeUndefined()
  })

  it('[BY-5] refuses a segment cut off anywhere', () => {
    const view = new DataView(bytes.buffer)
    const ends = tags.map(
      (_, index) => view.getUint32(12 + index * 12, true) + view.getUint32(16 + index * 12, true),
    )
    const end = Math.max(...ends)
    for (let cut = 0; cut < end; cut++)
      expect(openSegment(bytes.slice(0, cut)), `cut at ${cut}`).toBeUndefined()
    const large = build(generate(50, 10))
    const random = randomFrom(11)
    for (let count = 0; count < 200; count++)
      expect(openSegment(large.slice(0, Math.floor(random() * (large.length - 8))))).toBeUndefined()
  })

  it('reads damaged bytes to an end without throwing', () => {
    const random = randomFrom(12)
    let opened = 0
    for (let count = 0; count < 2_000; count++) {
      const copy = bytes.slice()
      for (let change = 0; change < 3; change++)
        copy[Math.floor(random() * copy.length)] = random() < 0.3 ? 255 : Math.floor(random() * 256)
      const segment = openSegment(copy)
      if (!segment) continue
      opened++
      for (const entry of segment.lexicon.entries()) eachPosting(segment, entry, () => {})
      for (const term of ['ppt', '幻灯片', 'github']) segment.lexicon.find(term)
      for (const prefix of ['', 's', '幻', 'zz']) segment.lexicon.findPrefix(prefix, 100, () => {})
      for (let skill = 0; skill < segment.length; skill++) {
        segment.names.get(skill)
        segment.ruledOutOf(skill)
        segment.sequenceOf(skill).subarray(0, segment.headOf(skill))
      }
      mergeSegments([{ segment, dead: new Set([0]) }])
    }
    expect(opened).toBeGreaterThan(100)
  })

  it('[BY-5] ignores an unknown section', () => {
    const more = writeSections({
      vecs: new Uint8Array([1, 2, 3]),
      ...sections,
      zzzz: new Uint8Array(100),
    })
    expect(readAll(open(more))).toEqual(readAll(open(bytes)))
  })

  // Made once with `btoa(String.fromCharCode(...build(fixed)))`. Segments of version 1 are on disks: where these bytes change, so must VERSION, ANALYZER or SCORING, unless every reader takes both.
  const frozen =
    'U0hMRgEACgBoZWFkgAAAAFQAAABuYW1l2AAAAGQAAABsZXhpQAEAABEBAABsZXhiWAIAABgAAABwb3N0cAIAAFYAAABzZXFvyAIAACQAAABzZXFz8AIA' +
    'AIoAAABzZXFigAMAABAAAABub3RukAMAAAQAAABub3RzmAMAACAAAAB7ImFuYWx5emVyIjoid29yZHMtZ3JhbXMvMSIsInNjb3JpbmciOiJibTI1Zi8x' +
    'Iiwic2tpbGxzIjo4LCJ0ZXJtcyI6MzcsInBvc3RpbmdzIjo0Mn0AAAAACAAAAAAAAAASAAAAHQAAACMAAAAnAAAALAAAADIAAAA3AAAAPAAAAHBwdApQ' +
    'UFTnlJ/miJAKZGVja2dpdC1oZWxwZXIKY2Fmw6kKdGVhCm1pbGsKYnJlYWQKc2FsdApzb3VwCgAAAAAABWFib3V0CAUABWJyZWFkAgEABGNhZmUIAgEF' +
    'b21taXQCAQAEZGVjawIBAANnaXQCAQMDaHViAgEABmhlbHBlcgIBAQJ1YgIBAAVtYWtlcwIBAQNpbGsCAQADcHB0AgEBA3VzaAIBAARzYWx0AgEBBWxp' +
    'ZGVzAgEBA291cAIBAAN0ZWECAQAEd2l0aAIBAQRvcmtzAgEAA+W5uwIBAwPnga8CAQYD54mHAgEAA+aIkAIBAwPlubsCAQYD54GvAgEBAoyJAgEDA+at' +
    'pQIBBgPpqqQCAQECraUCAQMD6aqkAgEAA+eBrwIBAwPniYcCAQAD54mHAgEBApSfAgEDA+aIkAIBBgPlubsCAQAD6aqkAgEAAAAAAAAAAAAAAAAAAAB/' +
    'AAAALAAAAO8AAABMAAAAAAAAsrKysrIG1ABluQAAAAAAAmUBjgLJAqgCowKoAY4F1AGjAmUH1AGnCNQE1AKoAqgBjgGOAY4BrgGOAY4BZAFkAWQBZAFk' +
    'AY4BjgGOAa4BrgGOAWQAAAAAAAAVAAAAJAAAACcAAAAtAAAAMwAAADkAAAA/AAAARQAAAAAAAADEBQAAxAWslempAAByNgAArJXpqVLaFMgry7hXIwYA' +
    'ACMGgRd43aw9AABB6P7tAAB79yPy7lsAAEHoAABhgAAAt+OyeEE5AABBOQAAAAAoUgAAHSEoUgAAAAAs8gAAHSEs8gAAAACBtwAAHSGBtwAAAACPtQAA' +
    'HSGPtQAAAAAmAQAAHSEmAQAAAAAAAAAAAAAQAAsAAgAFAAUABQAFAAUAAQAAAAAAAAABAAAAAAAAABQAAABEbyBOT1QgdXNlIGZvciBtYWlsLg=='
  // Without what skills rule out.
  const withoutRuledOut =
    'U0hMRgEACABoZWFkaAAAAFQAAABuYW1lwAAAAGQAAABsZXhpKAEAABEBAABsZXhiQAIAABgAAABwb3N0WAIAAFYAAABzZXFvsAIAACQAAABzZXFz' +
    '2AIAAIoAAABzZXFiaAMAABAAAAB7ImFuYWx5emVyIjoid29yZHMtZ3JhbXMvMSIsInNjb3JpbmciOiJibTI1Zi8xIiwic2tpbGxzIjo4LCJ0ZXJt' +
    'cyI6MzcsInBvc3RpbmdzIjo0Mn0AAAAACAAAAAAAAAASAAAAHQAAACMAAAAnAAAALAAAADIAAAA3AAAAPAAAAHBwdApQUFTnlJ/miJAKZGVja2dp' +
    'dC1oZWxwZXIKY2Fmw6kKdGVhCm1pbGsKYnJlYWQKc2FsdApzb3VwCgAAAAAABWFib3V0CAUABWJyZWFkAgEABGNhZmUIAgEFb21taXQCAQAEZGVj' +
    'awIBAANnaXQCAQMDaHViAgEABmhlbHBlcgIBAQJ1YgIBAAVtYWtlcwIBAQNpbGsCAQADcHB0AgEBA3VzaAIBAARzYWx0AgEBBWxpZGVzAgEBA291' +
    'cAIBAAN0ZWECAQAEd2l0aAIBAQRvcmtzAgEAA+W5uwIBAwPnga8CAQYD54mHAgEAA+aIkAIBAwPlubsCAQYD54GvAgEBAoyJAgEDA+atpQIBBgPp' +
    'qqQCAQECraUCAQMD6aqkAgEAA+eBrwIBAwPniYcCAQAD54mHAgEBApSfAgEDA+aIkAIBBgPlubsCAQAD6aqkAgEAAAAAAAAAAAAAAAAAAAB/AAAA' +
    'LAAAAO8AAABMAAAAAAAAsrKysrIG1ABluQAAAAAAAmUBjgLJAqgCowKoAY4F1AGjAmUH1AGnCNQE1AKoAqgBjgGOAY4BrgGOAY4BZAFkAWQBZAFk' +
    'AY4BjgGOAa4BrgGOAWQAAAAAAAAVAAAAJAAAACcAAAAtAAAAMwAAADkAAAA/AAAARQAAAAAAAADEBQAAxAWslempAAByNgAArJXpqVLaFMgry7hX' +
    'IwYAACMGgRd43aw9AABB6P7tAAB79yPy7lsAAEHoAABhgAAAt+OyeEE5AABBOQAAAAAoUgAAHSEoUgAAAAAs8gAAHSEs8gAAAACBtwAAHSGBtwAA' +
    'AACPtQAAHSGPtQAAAAAmAQAAHSEmAQAAAAAAAAAAAAAQAAsAAgAFAAUABQAFAAUA'
  // Without the parts of camelCase words in the forward list.
  const older =
    'U0hMRgEACABoZWFkaAAAAFQAAABuYW1lwAAAAGQAAABsZXhpKAEAABEBAABsZXhiQAIAABgAAABwb3N0WAIAAFYAAABzZXFvsAIAACQAAABzZX' +
    'Fz2AIAAIIAAABzZXFiYAMAABAAAAB7ImFuYWx5emVyIjoid29yZHMtZ3JhbXMvMSIsInNjb3JpbmciOiJibTI1Zi8xIiwic2tpbGxzIjo4LCJ0' +
    'ZXJtcyI6MzcsInBvc3RpbmdzIjo0Mn0AAAAACAAAAAAAAAASAAAAHQAAACMAAAAnAAAALAAAADIAAAA3AAAAPAAAAHBwdApQUFTnlJ/miJAKZG' +
    'Vja2dpdC1oZWxwZXIKY2Fmw6kKdGVhCm1pbGsKYnJlYWQKc2FsdApzb3VwCgAAAAAABWFib3V0CAUABWJyZWFkAgEABGNhZmUIAgEFb21taXQC' +
    'AQAEZGVjawIBAANnaXQCAQMDaHViAgEABmhlbHBlcgIBAQJ1YgIBAAVtYWtlcwIBAQNpbGsCAQADcHB0AgEBA3VzaAIBAARzYWx0AgEBBWxpZG' +
    'VzAgEBA291cAIBAAN0ZWECAQAEd2l0aAIBAQRvcmtzAgEAA+W5uwIBAwPnga8CAQYD54mHAgEAA+aIkAIBAwPlubsCAQYD54GvAgEBAoyJAgED' +
    'A+atpQIBBgPpqqQCAQECraUCAQMD6aqkAgEAA+eBrwIBAwPniYcCAQAD54mHAgEBApSfAgEDA+aIkAIBBgPlubsCAQAD6aqkAgEAAAAAAAAAAA' +
    'AAAAAAAAB/AAAALAAAAO8AAABMAAAAAAAAsrKysrIG1ABluQAAAAAAAmUBjgLJAqgCowKoAY4F1AGjAmUH1AGnCNQE1AKoAqgBjgGOAY4BrgGO' +
    'AY4BZAFkAWQBZAFkAY4BjgGOAa4BrgGOAWQAAAAAAAAVAAAAIAAAACMAAAApAAAALwAAADUAAAA7AAAAQQAAAAAAAADEBQAAxAWslempAAByNg' +
    'AArJXpqVLaFMgry7hXIwYAACMGgRd43aw9AABB6P7tAAB79yPy7lsAALfjsnhBOQAAQTkAAAAAKFIAAB0hKFIAAAAALPIAAB0hLPIAAAAAgbcA' +
    'AB0hgbcAAAAAj7UAAB0hj7UAAAAAJgEAAB0hJgEAAAAAAAAAAAAAEAAHAAIABQAFAAUABQAFAA=='

  it('[BY-5] reads and writes version 1 unchanged', () => {
    for (const text of [frozen, withoutRuledOut, older]) {
      const segment = open(Uint8Array.from(atob(text), one => one.charCodeAt(0)))
      const found = ['ppt', '幻灯片', 'github', 'hub', 'cafe', 'mail'].map(
        term => segment.lexicon.find(term)?.count,
      )
      expect(found).toEqual([1, 1, 1, 1, 2, undefined])
      expect([0, 1, 2].map(skill => segment.names.get(skill))).toEqual([
        'ppt\nPPT生成\ndeck',
        'git-helper\n',
        'café\n',
      ])
      expect(segment.lexicon.find('about')?.count).toBe(5)
    }
    expect(btoa(String.fromCharCode(...build(fixed)))).toBe(frozen)
  })
})
