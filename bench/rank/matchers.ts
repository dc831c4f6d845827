import { create, insertMultiple, search } from '@orama/orama'
import MiniSearch from 'minisearch'
import { openLibrary } from '../../src/library/library.js'
import { createSegmentBuilder } from '../../src/search/index/build.js'
import { localMatcher } from '../../src/search/match/hybrid.js'
import type { Embedder, SkillModel } from '../../src/search/model/types.js'
import { memory } from '../../src/source/memory.js'
import type { PoolSkill } from './data.js'
import type { Ranker } from './measure.js'
import { readModel } from './model.js'
import { hasMultilingual, openMultilingual } from './multilingual.js'
import { hasTransformer, openTransformer } from './transformer.js'

type Open = (skills: readonly PoolSkill[]) => Promise<Ranker>

/** The measured matchers, by name. Each opens a library of skills. */
export const matchers: Readonly<Record<string, { what: string; open: Open }>> = {
  hybrid: { what: 'skillshelf, keywords and bundled model', open: async skills => local(skills, readModel()) },
  ...(hasTransformer
    ? {
        minilm: { what: 'skillshelf with all-MiniLM-L6-v2', open: skills => upgraded(skills, openTransformer) },
        transformers: {
          what: 'transformers.js: cosine of all-MiniLM-L6-v2 over descriptions',
          open: skills => cosines(skills, openTransformer),
        },
      }
    : {}),
  ...(hasMultilingual
    ? {
        multilingual: {
          what: 'skillshelf with the multilingual model',
          open: skills => upgraded(skills, openMultilingual),
        },
        'multilingual-cosine': {
          what: 'cosine of the multilingual model over descriptions',
          open: skills => cosines(skills, openMultilingual),
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
  orama: { what: 'Orama over whole skills', open: skills => orama(skills) },
  'orama-head': { what: 'Orama, name and description only', open: skills => orama(withoutBodies(skills)) },
  keywords: { what: 'baseline: skill name in the message', open: skills => keywords(skills) },
}

function withoutBodies(skills: readonly PoolSkill[]): PoolSkill[] {
  return skills.map(skill => ({ ...skill, body: '' }))
}

const lexical = (skills: readonly PoolSkill[]): Promise<Ranker> => local(skills)

async function local(skills: readonly PoolSkill[], model?: SkillModel): Promise<Ranker> {
  const builder = createSegmentBuilder({ embedder: model })
  for (const { name, description, messages, body } of skills)
    builder.add({ name, description: description ?? '', tags: [], messages, body: body ?? '' })
  const matcher = localMatcher({ embedder: model })
  const ids = skills.map((_, number) => String(number))
  await matcher.update({ revision: '', segments: [{ key: '', bytes: builder.finish(), ids, dead: [] }] })
  return {
    async rank(message) {
      const { matches } = await matcher.match({ message }, { limit: 5 })
      return matches.map(match => (skills[Number(match.id)] as PoolSkill).id)
    },
  }
}

/** As `library.upgrade`: words with the embedder if it supports the language, otherwise with the bundled model. */
async function upgraded(skills: readonly PoolSkill[], open: () => Promise<Embedder>): Promise<Ranker> {
  const files = Object.fromEntries(
    skills.map(({ name, description, body }, at) => [`${at}/SKILL.md`, textOf(name, description, body)]),
  )
  const library = await openLibrary(memory(files, { name: 'pool' }), { embedder: readModel() })
  await library.upgrade(await open())
  return {
    async rank(message) {
      const { matches } = await library.search(message, { limit: 5 })
      return matches.map(match => (skills[Number(match.id.slice('pool/'.length))] as PoolSkill).id)
    },
  }
}

function textOf(name: string, description: string, body: string): string {
  return `---\n${JSON.stringify({ name, description: description ?? '' })}\n---\n${body ?? ''}`
}

/** Cosine of vectors, without this library. */
async function cosines(skills: readonly PoolSkill[], open: () => Promise<Embedder>): Promise<Ranker> {
  const model = await open()
  const { dimensions } = model
  const vectors = await model.embed(skills.map(({ name, description }) => `${name}: ${description ?? ''}`))
  return {
    async rank(message) {
      const query = await model.embed([message], { kind: 'query' })
      const near = skills.map((_, at) => {
        let sum = 0
        for (let d = 0; d < dimensions; d++) sum += (query[d] as number) * (vectors[at * dimensions + d] as number)
        return sum
      })
      return [...near.keys()]
        .sort((a, b) => (near[b] as number) - (near[a] as number))
        .slice(0, 5)
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
  index.addAll(skills.map((skill, number) => ({ ...skill, messages: skill.messages?.join('\n') ?? '', number })))
  return {
    rank: async message =>
      index
        .search(message)
        .slice(0, 5)
        .map(result => (skills[Number(result.id)] as PoolSkill).id),
  }
}

/** Default configuration: English, stemmed. */
async function orama(skills: readonly PoolSkill[]): Promise<Ranker> {
  const index = create({ schema: { name: 'string', description: 'string', body: 'string' } as const })
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
    async rank(message) {
      const { hits } = await search(index, {
        term: message,
        limit: 5,
        threshold: 1,
        boost: { name: 2, description: 1, body: 0.25 },
      })
      return hits.map(hit => (skills[Number(hit.id)] as PoolSkill).id)
    },
  }
}

/** The skills whose name the message contains, in library order, as a keyword registry does. */
async function keywords(skills: readonly PoolSkill[]): Promise<Ranker> {
  const names = skills.map(({ name }) => [name.toLowerCase(), name.toLowerCase().replace(/[-_]+/g, ' ')])
  return {
    async rank(message) {
      const said = message.toLowerCase()
      return skills.filter((_, at) => names[at]?.some(name => name !== '' && said.includes(name))).map(({ id }) => id)
    },
  }
}
