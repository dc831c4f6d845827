import { existsSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { randomFrom } from '../../bench/random.js'
import { type PoolSkill, readRows, type TriggerQuery } from '../../bench/rank/data.js'
import { createSegmentBuilder, type SegmentDocument } from '../../src/search/index/build.js'
import { openSegment } from '../../src/search/index/open.js'
import { localMatcher } from '../../src/search/match/hybrid.js'
import type { LiveSegment, Matcher, MatcherResult } from '../../src/search/match/skill-match.js'

const data = new URL('../../../shared/data/', import.meta.url)
const pools = new URL('triggers-dev-pools.jsonl.gz', data)
const queries = new URL('triggers-dev.jsonl.gz', data)
const SKILLS = 300
const MESSAGES = 10

interface Skill extends SegmentDocument {
  id: string
  dead: boolean
}

/** Skills of few words, many of them twice and thrice: equals everywhere, at the end of the second look too. */
function synthetic(): { skills: Skill[]; messages: string[] } {
  const random = randomFrom(1)
  const words = [
    ...'数据分析 幻灯片 スライド 발표자료'.split(' '),
    ...Array.from({ length: 80 }, (_, index) => `w${index}`),
  ]
  const text = (count: number): string =>
    Array.from({ length: count }, () => words[Math.floor(random() ** 2 * words.length)]).join(' ')
  const describing = () => ({
    name: text(1),
    description: text(5),
    tags: [text(1)],
    body: text(10),
  })
  const documents = Array.from({ length: SKILLS / 3 }, describing)
  const skills = [...documents, ...documents, ...documents].map((document, index) => ({
    ...document,
    id: `s${(index * 7_919) % SKILLS}`,
    dead: random() < 0.2,
  }))
  const messages = Array.from({ length: MESSAGES }, (_, index) => text(index % 8 === 0 ? 1 : 6))
  return { skills, messages }
}

function real(): { skills: Skill[]; messages: string[] } {
  const random = randomFrom(2)
  const rows = readRows<PoolSkill>(pools)
  const asked = readRows<TriggerQuery>(queries).filter(({ tier }) => tier === 'good')
  const of = (lang: string): string[] => {
    const some = asked.filter(query => query.lang === lang)
    return Array.from(
      { length: MESSAGES / 2 },
      () => (some[Math.floor(random() * some.length)] as TriggerQuery).query,
    )
  }
  const skills = Array.from({ length: SKILLS }, (_, index): Skill => {
    const { name, description, body } = rows[Math.floor(random() * rows.length)] as PoolSkill
    return { id: `${name}/${index}`, name, description, tags: [], body, dead: random() < 0.2 }
  })
  return { skills, messages: [...of('en'), ...of('zh')] }
}

async function open(parts: readonly (readonly Skill[])[]): Promise<Matcher> {
  const segments = parts.map((skills, part): LiveSegment => {
    const builder = createSegmentBuilder()
    for (const one of skills) builder.add(one)
    const dead = skills.flatMap((one, number) => (one.dead ? [number] : []))
    return { key: String(part), bytes: builder.finish(), ids: skills.map(({ id }) => id), dead }
  })
  const matcher = localMatcher()
  await matcher.update({ revision: '1', segments })
  return matcher
}

/** The skills dealt out to so many segments, one after the other or one to each in turn. */
function deal(skills: readonly Skill[], parts: number, inTurn: boolean): Skill[][] {
  const size = Math.ceil(skills.length / parts)
  return Array.from({ length: parts }, (_, part) =>
    skills.filter((_, index) => (inTurn ? index % parts : Math.floor(index / size)) === part),
  )
}

const cuts: [what: string, cut: (skills: Skill[]) => Skill[][]][] = [
  ['2 segments', skills => deal(skills, 2, false)],
  ['7 segments', skills => deal(skills, 7, false)],
  ['300 segments', skills => deal(skills, 300, false)],
  ['7 segments, dealt in turn', skills => deal(skills, 7, true)],
  ['2 segments, the last skill first', skills => deal([...skills].reverse(), 2, false)],
  ['one segment of the live skills', skills => [skills.filter(({ dead }) => !dead)]],
]

describe.each([
  ['synthetic skills', synthetic, true],
  [
    `real skills${existsSync(pools) ? '' : ' (../shared/data is missing)'}`,
    real,
    existsSync(pools),
  ],
] as const)('a library of 300 %s', (_, make, there) => {
  let skills: Skill[]
  let messages: string[]
  let expected: MatcherResult[]
  const rank = async (parts: readonly (readonly Skill[])[]): Promise<MatcherResult[]> => {
    const matcher = await open(parts)
    return Promise.all(
      messages.map(message =>
        matcher.match({ message, history: [messages[0] as string] }, { limit: 50 }),
      ),
    )
  }
  beforeAll(async () => {
    if (!there) return
    ;({ skills, messages } = make())
    expected = await rank([skills])
    expect(expected.flatMap(({ matches }) => matches).length).toBeGreaterThan(MESSAGES * 10)
  })

  it.skipIf(!there).each(cuts)('[BY-1] ranks %s like one segment', async (_, cut) => {
    // Every figure, to the last bit.
    expect(await rank(cut(skills))).toEqual(expected)
  })
})

it('[BY-1] opens a segment at any offset of a Node Buffer', () => {
  const builder = createSegmentBuilder()
  builder.add({ name: 'pdf', description: 'extract tables', tags: [], body: '' })
  const bytes = builder.finish()
  for (let offset = 0; offset < 8; offset++) {
    const buffer = Buffer.alloc(bytes.length + 8)
    buffer.set(bytes, offset)
    const segment = openSegment(
      buffer.subarray(offset, offset + bytes.length) as Uint8Array as Uint8Array<ArrayBuffer>,
    )
    expect(segment?.lexicon.find('tables')?.count).toBe(1)
  }
})
