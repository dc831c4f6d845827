import { describe, expect, it } from 'vitest'
import { randomFrom } from '../../bench/random.js'
import { writeSections } from '../../src/core/byte-sections.js'
import { analyze, TERM } from '../../src/core/text/analyze.js'
import { quantizeVector } from '../../src/search/index/vectors.js'
import {
  PARTS,
  type Part,
  partsOf,
  partsOfTerm,
  stemsOf,
} from '../../src/search/model/script-parts.js'
import {
  neededParts,
  openStaticModel,
  type StaticModel,
} from '../../src/search/model/static-model.js'
import { openVocabulary } from '../../src/search/model/vocabulary.js'
import {
  type ModelFiles,
  type PartTable,
  writeModel,
  writeVocabulary,
} from '../../training/model/files.js'
import { packRow } from '../../training/model/quantize.js'

const DIMENSIONS = 16

/** Words of one topic point the same way, with a little noise. */
const TOPICS = [
  'slides presentation deck 演示 幻灯片 발표자료 презентация',
  'database postgres 数据库 programmieren програ* databa*',
  'ありがとう',
  'cook recipe',
]

function tableOf(part: Part, seed: number): PartTable {
  const random = randomFrom(seed)
  const topicOf = new Map<string, number>()
  for (const [text, topic] of TOPICS.flatMap((words, topic) =>
    words.split(' ').map(word => [word, topic] as const),
  )) {
    const known = new Set<Part>([
      ...partsOf(text),
      ...(text === 'programmieren' ? (['european'] as const) : []),
    ])
    if (text.endsWith('*')) {
      if (partsOfTerm(text, known).at(-1) === part) topicOf.set(text, topic)
      continue
    }
    analyze(text, (term, kind) => {
      if (kind & TERM && partsOfTerm(term, known).at(-1) === part) topicOf.set(term, topic)
    })
  }
  const terms = [...topicOf.keys()].sort()
  const rows = new Float32Array(terms.length * DIMENSIONS)
  for (const [row, term] of terms.entries()) {
    for (let d = 0; d < DIMENSIONS; d++)
      rows[row * DIMENSIONS + d] = (random() - 0.5) * 0.1 + (d % 4 === topicOf.get(term) ? 1 : 0)
  }
  return { terms, rows, counts: terms.map((_, at) => at + 1), documents: 100 }
}

function model(seed = 1): ModelFiles {
  const tables = Object.fromEntries(PARTS.map((part, index) => [part, tableOf(part, seed + index)]))
  return writeModel(tables as Record<Part, PartTable>, { dimensions: DIMENSIONS, seed })
}

const files = model()
const whole = openStaticModel(files)
const words = openStaticModel({ latin: files.latin })

function cosine(one: StaticModel, a: string, b: string): number {
  const [x, y] = [one.vectorOf(a), one.vectorOf(b)]
  return x.reduce((sum, value, at) => sum + value * (y[at] as number), 0)
}

function lengthOf(vector: Float32Array): number {
  return Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0))
}

describe('a static model', () => {
  it('gives similar vectors to texts of similar meaning, across scripts', () => {
    expect(cosine(whole, 'make slides', 'a presentation')).toBeGreaterThan(0.9)
    expect(cosine(whole, 'slides', 'database')).toBeLessThan(0.3)
    expect(cosine(whole, '幻灯片', 'a Deck')).toBeGreaterThan(0.9)
    expect(cosine(whole, '數據庫', 'postgres')).toBeGreaterThan(0.9)
    expect(cosine(whole, '발표자료', 'презентация')).toBeGreaterThan(0.9)
  })

  it('gives unit vectors, and zeros for unknown terms', () => {
    expect(lengthOf(whole.vectorOf('slides about a database'))).toBeCloseTo(1, 5)
    expect([...whole.vectorOf('zzz')]).toEqual(new Array(DIMENSIONS).fill(0))
    expect([...whole.vectorOf('')]).toEqual(new Array(DIMENSIONS).fill(0))
    expect([[...words.parts], [...whole.parts]]).toEqual([['latin'], [...PARTS]])
  })

  it('[BY-24] gives the same vector whatever is loaded, or none if a needed part is not', () => {
    const texts = [
      'make slides',
      'slides 幻灯片',
      'ich will nicht mit dir programmieren',
      'ありがとう for the database',
      '발표자료, презентация',
      // Normalized to kana, and to an ideograph in parentheses.
      'slides ㌔ ｱﾘｶﾞﾄｳ',
      '㈱ slides',
    ]
    const skills = texts.flatMap(text => [
      { name: 'deck', description: text, body: '' },
      { name: 'deck', description: 'Makes slides', body: text },
      { name: 'deck', description: 'Makes slides', body: `${'database '.repeat(600)}${text}` },
      { name: 'deck', description: 'Makes slides', body: '', messages: ['a presentation', text] },
    ])
    const subsets = Array.from({ length: 2 ** (PARTS.length - 1) }, (_, bits) =>
      PARTS.filter((_, at) => at === 0 || bits & (1 << (at - 1))),
    )
    const none = new Array(DIMENSIONS).fill(0)
    let missing = 0
    for (const parts of subsets) {
      const some = openStaticModel({
        latin: files.latin,
        ...Object.fromEntries(parts.map(part => [part, files[part]])),
      })
      for (const text of texts) {
        const needed = [...neededParts(text)]
        const hasAll = needed.every(part => parts.includes(part))
        if (!hasAll) missing++
        expect([...some.vectorOf(text)], text).toEqual(hasAll ? [...whole.vectorOf(text)] : none)
        expect(some.coverage(text)).toBe(hasAll ? whole.coverage(text) : 0)
      }
      for (const skill of skills) {
        const hasAll = [...neededParts([skill])].every(part => parts.includes(part))
        const expected = hasAll ? [...whole.skillVector(skill)] : none
        expect([...some.skillVector(skill)], JSON.stringify(skill)).toEqual(expected)
      }
    }
    expect(missing).toBeGreaterThan(50)
    expect([...neededParts(skills)].sort()).toEqual([...PARTS].sort())
    // Only the first 600 terms of a body are read.
    expect([...neededParts(skills.filter(({ body }) => body.length > 5_000))]).toEqual(['latin'])
  })

  it('overwrites a given array', () => {
    const into = new Float32Array(DIMENSIONS).fill(9)
    expect(whole.vectorOf('slides', into)).toBe(into)
    expect([...into]).toEqual([...whole.vectorOf('slides')])
  })

  it('[BY-13] knows other forms of a word by its stem', () => {
    expect(cosine(whole, 'databasing', 'postgres')).toBeGreaterThan(0.9)
    expect(cosine(whole, 'програмирую', 'postgres')).toBeGreaterThan(0.9)
    expect([...whole.vectorOf('datab')]).toEqual(new Array(DIMENSIONS).fill(0))
    expect(stemsOf('programming')).toEqual(['program*', 'progra*', 'progr*', 'prog*'])
    expect(stemsOf('数据库')).toEqual([])
  })

  it('[BY-13] uses words of other European languages only in texts of those languages', () => {
    expect(cosine(whole, 'ich will nicht mit dir programmieren', 'postgres')).toBeGreaterThan(0.9)
    expect([...whole.vectorOf('programmieren')]).toEqual(new Array(DIMENSIONS).fill(0))
  })

  it('[BY-13] gives the share of a text that it knows', () => {
    expect(whole.coverage('slides zzz')).toBe(0.5)
    expect(whole.coverage('')).toBe(0)
    expect(words.coverage('幻灯片')).toBe(0)
    expect(whole.coverage('幻灯片')).toBe(1)
  })

  it('embeds name, description without negated clauses, and half the weight of the body', () => {
    const skill = {
      name: 'deck-maker',
      description: 'Makes slides. Do NOT use for a recipe.',
      body: '',
    }
    expect([...whole.skillVector(skill)]).toEqual([
      ...whole.skillVector({ ...skill, description: 'Makes slides.' }),
    ])
    const both = whole.skillVector({ ...skill, body: 'database '.repeat(700) })
    const head = whole.vectorOf('deck-maker Makes slides.')
    const body = whole.vectorOf('database')
    const expected = head.map((value, d) => value + 0.5 * (body[d] as number))
    for (let d = 0; d < DIMENSIONS; d++)
      expect(both[d]).toBeCloseTo((expected[d] as number) / lengthOf(expected), 5)
    const tail = whole.skillVector({
      ...skill,
      body: `${'postgres '.repeat(600)}${'recipe '.repeat(600)}`,
    })
    expect([...tail]).toEqual([...whole.skillVector({ ...skill, body: 'postgres '.repeat(600) })])
  })

  it('has a space named by its weights and dimensions', () => {
    const spaces = [whole, openStaticModel(model(2))].map(({ space }) => space)
    expect(new Set(spaces).size).toBe(2)
    expect(openStaticModel(model()).space).toBe(whole.space)
    expect(words.space).toBe(whole.space)
    expect(whole.space).toMatch(/^skillshelf-static\/3\/[0-9a-f]{12}\/16$/)
  })

  it('writes the same files for the same rows', () => {
    for (const part of PARTS) expect([...model()[part]]).toEqual([...files[part]])
  })

  it('opens an unaligned view of a buffer', () => {
    const shifted = new Uint8Array(files.latin.length + 3)
    shifted.set(files.latin, 3)
    expect([...openStaticModel({ latin: shifted.subarray(3) }).vectorOf('deck')]).toEqual([
      ...words.vectorOf('deck'),
    ])
  })

  it('refuses files that are no model, truncated or of different models', () => {
    const other = model(2)
    const cases: [() => unknown, string][] = [
      [() => openStaticModel({ latin: new Uint8Array(100) }), 'format'],
      [
        () => openStaticModel({ latin: files.latin.subarray(0, files.latin.length - 16) }),
        'format',
      ],
      [
        () => openStaticModel({ latin: writeSections({ head: new TextEncoder().encode('{') }) }),
        'format',
      ],
      [() => openStaticModel({ latin: files.latin, han: other.han }), 'format'],
      [() => openStaticModel({ latin: files.han }), 'invalid-input'],
    ]
    for (const [open, code] of cases)
      expect(open).toThrow(expect.objectContaining({ name: 'SkillshelfError', code }))
  })

  it('[BY-1] names the Vite setting if a file is an HTML page', () => {
    const page = new TextEncoder().encode(
      '<!doctype html><title>A page in place of every file</title>',
    )
    const setting = /^Not a file.*\(.*optimizeDeps: \{ exclude: \['skillshelf'\] \}\)$/
    expect(() => openStaticModel({ latin: page })).toThrow(setting)
  })
})

it.each<[string, Part[]]>([
  ['make slides', ['latin']],
  ['the owner of a café wants slides', ['latin']],
  ['Rebase E2E test snapshots', ['latin']],
  ['我想订机票', ['latin', 'han']],
  ['ボイラーの音', ['latin', 'kana', 'han']],
  ['보일러 소리', ['latin', 'hangul']],
  ['котёл шумит', ['latin', 'cyrillic']],
  ['quiero reservar un vuelo para mañana', ['latin', 'european']],
  ['ich möchte morgen einen Flug buchen', ['latin', 'european']],
  ['je voudrais réserver un vol pour demain', ['latin', 'european']],
  ['quero reservar um voo para amanhã', ['latin', 'european']],
  ['จองตั๋วเครื่องบิน', ['latin']],
])('[BY-13] the parts of %s are %j', (text, parts) => {
  expect(new Set(partsOf(text))).toEqual(new Set(parts))
})

describe('the vocabulary of a model', () => {
  it('finds the row of every term and no others', () => {
    const random = randomFrom(3)
    const letters = 'abcdeéß号人数据ж한か'
    const letter = () => letters[Math.floor(random() * letters.length)]
    const term = () => Array.from({ length: 1 + Math.floor(random() * 7) }, letter).join('')
    const terms = [...new Set(Array.from({ length: 5_000 }, term))].sort()
    const known = terms.filter((_, at) => at % 2 === 0)
    const { terms: bytes, blocks } = writeVocabulary(known)
    // The first questions are answered by a search, later ones out of what was unpacked.
    let searched = openVocabulary(bytes, blocks, known.length)
    const unpacked = openVocabulary(bytes, blocks, known.length)
    for (let asked = 0; asked < 2_000; asked++) unpacked.find('a')
    for (const [at, term] of terms.entries()) {
      if (at % 1_000 === 0) searched = openVocabulary(bytes, blocks, known.length)
      expect([searched.find(term), unpacked.find(term)]).toEqual(
        at % 2 === 0 ? [at / 2, at / 2] : [-1, -1],
      )
    }
    expect([searched.find(''), unpacked.find('')]).toEqual([-1, -1])
    expect(openVocabulary(new Uint8Array(0), new Uint32Array(0), 0).find('a')).toBe(-1)
  })

  it('must be sorted, without repeats', () => {
    expect(() => writeVocabulary(['b', 'a'])).toThrow(RangeError)
    expect(() => writeVocabulary(['a', 'a'])).toThrow(RangeError)
  })
})

describe('quantization', () => {
  it('keeps a row within half a step of four bits', () => {
    const random = randomFrom(5)
    const row = Float32Array.from({ length: 64 }, () => random() - 0.5)
    const packed = new Uint8Array(32)
    const half = packRow(row, packed)
    const scale = new Float32Array(new Uint32Array([half << 16]).buffer)[0] as number
    for (const [at, value] of row.entries()) {
      const level = ((packed[at >> 1] as number) >> ((at & 1) * 4)) & 15
      expect(Math.abs((level - 7.5) * scale - value)).toBeLessThan(scale)
    }
    expect(scale).toBeLessThan(0.5 / 7)
    expect(packRow(new Float32Array(64), packed)).toBe(0)
  })

  it('keeps a vector within half a step of eight bits', () => {
    const vector = Float32Array.of(0.5, -1, 0.003, 0)
    const bytes = new Int8Array(4)
    const scale = quantizeVector(vector, bytes)
    for (const [at, value] of vector.entries())
      expect(Math.abs((bytes[at] as number) * scale - value)).toBeLessThanOrEqual(scale / 2 + 1e-9)
    expect(quantizeVector(new Float32Array(4), bytes)).toBe(0)
    expect([...bytes]).toEqual([0, 0, 0, 0])
  })
})
