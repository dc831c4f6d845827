import { create, insertMultiple, search } from '@orama/orama'
import MiniSearch from 'minisearch'
import { openLibrary } from '../../src/library/open-library.js'
import { decide, withoutHopeless } from '../../src/search/decide/decide.js'
import { createSegmentBuilder } from '../../src/search/index/build.js'
import { localMatcher } from '../../src/search/match/hybrid.js'
import { MATCH_LIMIT, MAYBE_LIMIT, THRESHOLD } from '../../src/search/match/score.js'
import type { MatcherResult, RankedMatch } from '../../src/search/match/skill-match.js'
import type { Embedder, SkillModel } from '../../src/search/model/skill-model.js'
import { memory } from '../../src/source/memory.js'
import { bm25 } from './bm25.js'
import type { PoolSkill } from './data.js'
import type { Id, Ranker } from './measure.js'
import { readModel } from './model.js'
import { hasEncoder, hasTransformer, openEncoder, openTransformer } from './transformer.js'

type Open = (skills: readonly PoolSkill[]) => Promise<Ranker>

/** The measured matchers, by name. Each opens a library of skills. */
export const matchers: Readonly<Record<string, { what: string; open: Open }>> = {
  hybrid: {
    what: 'skillshelf, keywords and bundled model',
    open: async skills => local(skills, readModel()),
  },
  ...(hasTransformer
    ? {
        minilm: {
          what: 'skillshelf with all-MiniLM-L6-v2',
          open: skills => upgraded(skills, openTransformer),
        },
        transformers: {
          what: 'transformers.js: cosine of all-MiniLM-L6-v2 over descriptions',
          open: skills => cosines(skills, openTransformer),
        },
      }
    : {}),
  ...(hasEncoder
    ? {
        encoder: {
          what: 'skillshelf with skillshelf-encoder',
          open: skills => upgraded(skills, openEncoder),
        },
        'encoder-cosine': {
          what: 'cosine of skillshelf-encoder over descriptions',
          open: skills => cosines(skills, openEncoder),
        },
      }
    : {}),
  lexical: { what: 'skillshelf, keywords only', open: skills => lexical(skills) },
  'lexical-head': {
    what: 'skillshelf, name and description only',
    open: skills => lexical(withoutBodies(skills)),
  },
  minisearch: { what: 'MiniSearch over whole skills', open: skills => minisearch(skills) },
  'minisearch-head': {
    what: 'MiniSearch, name and description only',
    open: skills => minisearch(withoutBodies(skills)),
  },
  bm25: { what: 'BM25 over whole skills', open: skills => bm25(skills) },
  orama: { what: 'Orama over whole skills', open: skills => orama(skills) },
  'orama-head': {
    what: 'Orama, name and description only',
    open: skills => orama(withoutBodies(skills)),
  },
  keywords: { what: 'baseline: skill name in the message', open: skills => keywords(skills) },
}

function withoutBodies(skills: readonly PoolSkill[]): PoolSkill[] {
  return skills.map(skill => ({ ...skill, body: '' }))
}

const lexical = (skills: readonly PoolSkill[]): Promise<Ranker> => local(skills)

async function local(skills: readonly PoolSkill[], model?: SkillModel): Promise<Ranker> {
  const builder = createSegmentBuilder({ embedder: model })
  for (const skill of skills) {
    builder.add({
      ...skill,
      description: skill.description ?? '',
      tags: skill.tags ?? [],
      body: skill.body ?? '',
    })
  }
  const matcher = localMatcher({ embedder: model })
  const ids = skills.map((_, number) => String(number))
  await matcher.update({
    revision: '',
    segments: [{ key: '', bytes: builder.finish(), ids, dead: [] }],
  })
  return answering(
    (message, limit) => matcher.match({ message }, { limit }),
    id => (skills[Number(id)] as PoolSkill).id,
  )
}

/** Ranks by a search, and decides matches as a library does. */
function answering(
  search: (message: string, limit: number) => Promise<MatcherResult>,
  idOf: (id: string) => Id,
): Ranker {
  const idsOf = (matches: readonly Pick<RankedMatch, 'id'>[] = []): Id[] =>
    matches.map(({ id }) => idOf(id))
  return {
    rank: async (message, limit) => idsOf((await search(message, limit)).matches),
    async match(message) {
      const nearest = await search(message, MAYBE_LIMIT)
      const found = { ...nearest, matches: withoutHopeless(nearest.matches, THRESHOLD) }
      const { matches, maybe } = decide(found, { limit: MATCH_LIMIT, threshold: THRESHOLD })
      const first = matches[0] ?? maybe[0] ?? nearest.matches[0]
      return {
        first: first && { id: idOf(first.id), score: first.score },
        matches: idsOf(matches),
        maybe: idsOf(maybe),
      }
    },
  }
}

/** As `library.upgrade`: words with the embedder if it supports the language, otherwise with the bundled model. */
async function upgraded(
  skills: readonly PoolSkill[],
  open: () => Promise<Embedder>,
): Promise<Ranker> {
  const files = Object.fromEntries(skills.map((skill, at) => [`${at}/SKILL.md`, textOf(skill)]))
  const library = await openLibrary(memory(files, { name: 'pool' }), { embedder: readModel() })
  // However busy the machine is, every message gets its vector.
  await library.upgrade(await open(), { timeout: 600_000 })
  return answering(
    (message, limit) => library.search(message, { limit }),
    id => (skills[Number(id.slice('pool/'.length))] as PoolSkill).id,
  )
}

function textOf({
  name,
  displayName,
  description,
  whenToUse,
  tags,
  messages,
  body,
}: PoolSkill): string {
  const fields = {
    name,
    display_name: displayName,
    description: description ?? '',
    when_to_use: whenToUse,
    tags,
    messages,
  }
  return `---\n${JSON.stringify(fields)}\n---\n${body ?? ''}`
}

/** Cosine of vectors, without this library. */
async function cosines(
  skills: readonly PoolSkill[],
  open: () => Promise<Embedder>,
): Promise<Ranker> {
  const model = await open()
  const { dimensions } = model
  const vectors = await model.embed(
    skills.map(({ name, description }) => `${name}: ${description ?? ''}`),
  )
  return {
    async rank(message, limit) {
      const query = await model.embed([message], { kind: 'query' })
      const near = skills.map((_, at) => {
        let sum = 0
        for (let d = 0; d < dimensions; d++) {
          sum += (query[d] as number) * (vectors[at * dimensions + d] as number)
        }
        return sum
      })
      return [...near.keys()]
        .sort((a, b) => (near[b] as number) - (near[a] as number))
        .slice(0, limit)
        .map(at => (skills[at] as PoolSkill).id)
    },
  }
}

/** Our field weights, MiniSearch's tokenizer. */
async function minisearch(skills: readonly PoolSkill[]): Promise<Ranker> {
  const index = new MiniSearch({
    fields: ['name', 'description', 'messages', 'body'],
    idField: 'number',
    searchOptions: { boost: { name: 2, description: 1, messages: 0.6, body: 0.25 } },
  })
  index.addAll(
    skills.map((skill, number) => ({
      ...skill,
      messages: skill.messages?.join('\n') ?? '',
      number,
    })),
  )
  return {
    rank: async (message, limit) =>
      index
        .search(message)
        .slice(0, limit)
        .map(result => (skills[Number(result.id)] as PoolSkill).id),
  }
}

/** Default configuration: English, stemmed. */
async function orama(skills: readonly PoolSkill[]): Promise<Ranker> {
  const index = create({
    schema: { name: 'string', description: 'string', body: 'string' } as const,
  })
  await insertMultiple(
    index,
    skills.map(({ name, description, body }, number) => ({
      id: String(number),
      name,
      description: description ?? '',
      body: body ?? '',
    })),
  )
  return {
    async rank(message, limit) {
      const { hits } = await search(index, {
        term: message,
        limit,
        threshold: 1,
        boost: { name: 2, description: 1, body: 0.25 },
      })
      return hits.map(hit => (skills[Number(hit.id)] as PoolSkill).id)
    },
  }
}

/** The skills whose name the message contains, in library order, as a keyword registry does. */
async function keywords(skills: readonly PoolSkill[]): Promise<Ranker> {
  const names = skills.map(({ name }) => [
    name.toLowerCase(),
    name.toLowerCase().replace(/[-_]+/g, ' '),
  ])
  return {
    async rank(message) {
      const said = message.toLowerCase()
      return skills
        .filter((_, at) => names[at]?.some(name => name !== '' && said.includes(name)))
        .map(({ id }) => id)
    },
  }
}
