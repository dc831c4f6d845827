import { create, insert, load, save, search } from '@orama/orama'
import MiniSearch from 'minisearch'
import { createSegmentBuilder } from '../../src/search/index/build.js'
import { localMatcher } from '../../src/search/match/hybrid.js'
import type { StaticModel } from '../../src/search/model/static-model.js'
import { readModel } from '../rank/model.js'
import type { BenchDocument } from './documents.js'

/** A measured search engine. */
export interface Peer {
  name: string
  /** Maximum number of documents; above it a run takes too long. */
  most?: number
  /** Builds the index in memory; calls `step` after every document. */
  build(documents: readonly BenchDocument[], step: () => void): Promise<Index>
  /** Opens the packed index of `count` documents. */
  open(packed: Uint8Array<ArrayBuffer>, count: number): Promise<Index>
}

export interface Index {
  /** Returns names or numbers of the best five. */
  search(message: string): Promise<readonly string[]>
  pack(): Uint8Array<ArrayBuffer>
}

const LIMIT = 5

async function opened(
  bytes: Uint8Array<ArrayBuffer>,
  count: number,
  model?: StaticModel,
): Promise<Index> {
  const matcher = localMatcher({ embedder: model })
  const ids = Array.from({ length: count }, (_, number) => String(number))
  await matcher.update({ revision: '', segments: [{ key: '', bytes, ids, dead: [] }] })
  return {
    async search(message) {
      const { matches } = await matcher.match({ message }, { limit: LIMIT })
      return matches.map(match => match.id)
    },
    pack: () => bytes,
  }
}

/** The whole of `library.match`: pairs, names, scores and reasons. */
const skillshelf: Peer = {
  name: 'skillshelf',
  async build(documents, step) {
    const builder = createSegmentBuilder()
    for (const document of documents) {
      builder.add({ ...document, tags: [] })
      step()
    }
    return opened(builder.finish(), documents.length)
  },
  open: (packed, count) => opened(packed, count),
}

/** `library.match` with the bundled model. */
const hybrid: Peer = {
  name: 'skillshelf, keywords and bundled model',
  async build(documents, step) {
    const model = readModel()
    const builder = createSegmentBuilder({ embedder: model })
    for (const document of documents) {
      builder.add({ ...document, tags: [] })
      step()
    }
    return opened(builder.finish(), documents.length, model)
  },
  open: (packed, count) => opened(packed, count, readModel()),
}

const miniOptions = {
  fields: ['name', 'description', 'body'],
  searchOptions: { boost: { name: 2, description: 1, body: 0.25 } },
}

function miniIndex(index: MiniSearch): Index {
  return {
    search: async message =>
      index
        .search(message)
        .slice(0, LIMIT)
        .map(result => String(result.id)),
    pack: () => new TextEncoder().encode(JSON.stringify(index)),
  }
}

/** Name, description and whole body with our weights, its own tokenizer. */
const minisearch: Peer = {
  name: 'MiniSearch',
  most: 50_000,
  async build(documents, step) {
    const index = new MiniSearch(miniOptions)
    for (const [id, document] of documents.entries()) {
      index.add({ ...document, id })
      step()
    }
    return miniIndex(index)
  },
  open: async packed =>
    miniIndex(MiniSearch.loadJSON(new TextDecoder().decode(packed), miniOptions)),
}

const newOrama = () =>
  create({ schema: { name: 'string', description: 'string', body: 'string' } as const })

function oramaIndex(index: ReturnType<typeof newOrama>): Index {
  return {
    async search(term) {
      const { hits } = await search(index, { term, limit: LIMIT, threshold: 1 })
      return hits.map(hit => hit.id)
    },
    pack: () => new TextEncoder().encode(JSON.stringify(save(index))),
  }
}

/** Default configuration. It also stores the documents. */
const orama: Peer = {
  name: 'Orama',
  most: 10_000,
  async build(documents, step) {
    const index = newOrama()
    for (const [id, document] of documents.entries()) {
      await insert(index, { ...document, id: String(id) })
      step()
    }
    return oramaIndex(index)
  },
  async open(packed) {
    const index = newOrama()
    load(index, JSON.parse(new TextDecoder().decode(packed)))
    return oramaIndex(index)
  },
}

export const peers: readonly Peer[] = [skillshelf, hybrid, minisearch, orama]
