import { describe, expect, it } from 'vitest'
import { readModel } from '../../bench/rank/model.js'
import { readSections, writeSections } from '../../src/core/byte-sections.js'
import { memoryEngine, openEngineLibrary, publishToEngine } from '../../src/exports/engine.js'
import { memory, openLibrary, type SkillLibrary } from '../../src/exports/index.js'
import { createSegmentBuilder, type SegmentDocument } from '../../src/search/index/build.js'
import { mergeSegments } from '../../src/search/index/merge.js'
import { openSegment, type Segment } from '../../src/search/index/open.js'
import { decodeRanking, encodeRanking } from '../../src/server/engine/ranking-bytes.js'
import { packedFiles } from '../packed-files.js'

const FOR = 'Draws charts of sales, budgets and other tables of numbers, and labels them.'
const AGAINST = 'Do NOT use for printed charts of blood sugar or other medical tables.'
const documents: SegmentDocument[] = [
  { name: 'charts', description: `${FOR} ${AGAINST}`, tags: [], body: 'Draw it.' },
  { name: 'poems', description: 'Writes poems for birthdays.', tags: [], body: '' },
  {
    name: 'letters',
    description: 'Writes letters.',
    whenToUse: '写信时使用。不要用于合同。',
    tags: [],
    body: '',
  },
]
const NEAR_MISS = 'a printed chart of my blood sugar tables'
const RIGHT = 'sales and budgets of this year with labels'

function build(some = documents, embedder = readModel()): Uint8Array<ArrayBuffer> {
  const builder = createSegmentBuilder({ embedder })
  for (const document of some) builder.add(document)
  return builder.finish()
}

const open = (bytes: Uint8Array): Segment => openSegment(bytes) as Segment
const textsOf = (segment: Segment): (string | undefined)[] =>
  Array.from({ length: segment.length }, (_, skill) => segment.ruledOutOf(skill)?.text)

describe('what an author rules out, in a segment', () => {
  const bytes = build()
  const sections = readSections(bytes) as Map<string, Uint8Array>

  it('[BY-31] is kept as a text and a vector of its own, for the skills that have it', () => {
    const segment = open(bytes)
    expect(textsOf(segment)).toEqual([AGAINST, undefined, '不要用于合同。'])
    expect(segment.ruledOutOf(0)?.vector?.bytes).toHaveLength(readModel().dimensions)
    expect(segment.ruledOutOf(0)?.vector).not.toEqual(segment.ruledOutOf(2)?.vector)
    expect([...(segment.vectors?.ruledOut?.skills ?? [])]).toEqual([0, 2])
    // No section without such a skill: the bytes are those of before.
    const others = readSections(build(documents.slice(1, 2))) as Map<string, Uint8Array>
    expect([...others.keys()].filter(tag => /^not|^vno/.test(tag))).toEqual([])
  })

  it('[BY-31] survives a merge', () => {
    const merged = open(
      mergeSegments([
        { segment: open(bytes), dead: new Set([0]) },
        { segment: open(build(documents.slice(0, 1))), dead: new Set() },
      ]),
    )
    expect(textsOf(merged)).toEqual([undefined, '不要用于合同。', AGAINST])
    expect(merged.ruledOutOf(1)).toEqual(open(bytes).ruledOutOf(2))
    expect(merged.ruledOutOf(2)).toEqual(open(bytes).ruledOutOf(0))
  })

  it.each<[what: string, change: Record<string, Uint8Array>]>([
    ['a skill that is not there', { notn: u32(0, 3) }],
    ['a skill twice', { notn: u32(2, 2) }],
    ['skills that fall', { notn: u32(2, 0) }],
    ['a text too few', { notn: u32(0, 1, 2) }],
    ['no texts', { nots: new Uint8Array(0) }],
  ])('[BY-22] is refused if it is damaged: %s', (_, change) => {
    expect(openSegment(writeSections({ ...Object.fromEntries(sections), ...change }))).toBe(
      undefined,
    )
  })

  it.each<[what: string, change: Record<string, Uint8Array>]>([
    ['a vector of a skill that is not there', { vnos: u32(0, 3) }],
    ['a vector too few', { vnos: u32(0, 1, 2) }],
    ['a vector that is too long', { vnoc: new Uint8Array(Float32Array.of(9, 9).buffer) }],
  ])('[BY-22] its vectors are not used if they are damaged: %s', (_, change) => {
    const segment = open(writeSections({ ...Object.fromEntries(sections), ...change }))
    expect(segment.vectors).toBe(undefined)
    expect(textsOf(segment)).toEqual([AGAINST, undefined, '不要用于合同。'])
  })

  it('[BY-22] a row of an engine has it too, is read without it, and is refused if it is cut', () => {
    const segment = open(bytes)
    const { dimensions = 0 } = segment.vectors ?? {}
    const row = {
      sequence: segment.sequenceOf(0),
      head: segment.headOf(0),
      hashes: new Uint32Array(0),
      weights: new Uint8Array(0),
      vector: new Int8Array(0),
      scale: 0,
      messages: ['one', 'two'],
      ruledOut: { text: AGAINST, vector: undefined },
    }
    expect(decodeRanking(encodeRanking(row), dimensions)).toMatchObject(row)
    const vector = segment.vectors?.bytes.slice(0, dimensions) as Int8Array
    const whole = {
      ...row,
      vector,
      scale: segment.vectors?.scales[0] as number,
      messages: [],
      ruledOut: segment.ruledOutOf(0),
    }
    const encoded = encodeRanking(whole)
    expect(decodeRanking(encoded, dimensions)?.ruledOut).toEqual(whole.ruledOut)
    for (const cut of [1, 60, 100]) {
      expect(decodeRanking(encoded.slice(0, -cut), dimensions)).toBe(undefined)
    }
    const without = encodeRanking({ ...row, ruledOut: undefined })
    expect(decodeRanking(without, dimensions)).toMatchObject({
      head: row.head,
      ruledOut: undefined,
    })
  })
})

function u32(...numbers: number[]): Uint8Array {
  return new Uint8Array(Uint32Array.from(numbers).buffer)
}

const FILES = Object.fromEntries(
  documents.map(({ name, description, body }) => [
    `${name}/SKILL.md`,
    `---\n${JSON.stringify({ name, description })}\n---\n\n${body}\n`,
  ]),
)
const WITHOUT = { ...FILES, 'charts/SKILL.md': `---\nname: charts\ndescription: ${FOR}\n---\n` }

async function inEngine(files: Record<string, string>): Promise<SkillLibrary> {
  const stored = memory()
  const engine = memoryEngine()
  await publishToEngine(memory(files), { engine, files: stored, embedder: readModel() })
  return openEngineLibrary({ engine, files: stored, embedder: readModel() })
}

const embedder = readModel()
const opened: [string, (files: Record<string, string>) => Promise<SkillLibrary>][] = [
  ['a tree', files => openLibrary(memory(files), { embedder })],
  ['words alone', files => openLibrary(memory(files), { embedder: false })],
  [
    'a packed library',
    async files => openLibrary(memory(await packedFiles(memory(files))), { embedder }),
  ],
  ['an engine', inEngine],
]

describe.each(opened)('what an author rules out, in %s', (_, openFiles) => {
  it('[BY-31] counts against the skill, and the reason says so', async () => {
    await using library = await openFiles(FILES)
    await using without = await openFiles(WITHOUT)
    const scoreOf = async (some: SkillLibrary, message: string) =>
      (await some.search(message)).matches.find(({ name }) => name === 'charts')
    const near = await scoreOf(library, NEAR_MISS)
    const before = await scoreOf(without, NEAR_MISS)
    expect(near?.score).toBeLessThan((before?.score ?? 0) / 2)
    expect(near?.reason).toContain(`but its author rules out “${AGAINST}”`)
    expect(near?.signals.ruledOut).toBe(AGAINST)
    expect((await library.match(NEAR_MISS)).matches).toEqual([])
    const right = await scoreOf(library, RIGHT)
    expect(right?.signals.ruledOut).toBe(undefined)
    const unchanged = (await scoreOf(without, RIGHT))?.score as number
    expect(right?.score).toBeGreaterThan(0.9 * unchanged)
  })
})
