import MiniSearch from 'minisearch'
import { lexicalMatcher } from '../../src/match/lexical.js'
import { createSegmentBuilder } from '../../src/segment/build.js'
import type { BenchDocument } from './documents.js'

/** One way to search, as it is measured. */
export interface Peer {
  /** Builds the index in memory. */
  build(documents: readonly BenchDocument[]): Promise<Index>
  /** Opens what `pack` gave. */
  open(packed: Uint8Array<ArrayBuffer>): Promise<Index>
}

export interface Index {
  /** Names or numbers of the five best. */
  search(message: string): Promise<readonly string[]>
  pack(): Uint8Array<ArrayBuffer>
}

async function open(bytes: Uint8Array<ArrayBuffer>, skills: number): Promise<Index> {
  const matcher = lexicalMatcher()
  const ids = Array.from({ length: skills }, (_, number) => String(number))
  await matcher.update({ revision: '', segments: [{ key: '', bytes, ids, dead: [] }] })
  return {
    async search(message) {
      const { matches } = await matcher.match({ message }, { limit: 5 })
      return matches.map(match => match.id)
    },
    pack: () => bytes,
  }
}

const skillshelf = (count: number): Peer => ({
  async build(documents) {
    const builder = createSegmentBuilder()
    for (const document of documents) builder.add({ ...document, tags: [] })
    return open(builder.finish(), documents.length)
  },
  open: packed => open(packed, count),
})

/** MiniSearch over name, description and whole body, boosted as we weigh them; words as it cuts them itself. */
const minisearch = (): Peer => {
  const options = {
    fields: ['name', 'description', 'body'],
    searchOptions: { boost: { name: 2, description: 1, body: 0.25 } },
  }
  const index = (search: MiniSearch): Index => ({
    search: async message =>
      search
        .search(message)
        .slice(0, 5)
        .map(result => String(result.id)),
    pack: () => new TextEncoder().encode(JSON.stringify(search)),
  })
  return {
    async build(documents) {
      const search = new MiniSearch(options)
      search.addAll(documents.map((document, id) => ({ ...document, id })))
      return index(search)
    },
    open: async packed => index(MiniSearch.loadJSON(new TextDecoder().decode(packed), options)),
  }
}

export const peers: Record<string, (count: number) => Peer> = { skillshelf, minisearch }
