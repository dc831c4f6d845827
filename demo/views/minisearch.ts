import MiniSearch from 'minisearch'
import type { Library } from '../context.js'

type Search = (message: string) => string[]

const searches = new WeakMap<Library['snapshot'], Search>()

/** A search library that many pages use, over names, descriptions and tags: what a page has without skillshelf. */
export function miniSearch({ snapshot }: Library): Search {
  const search = searches.get(snapshot) ?? createSearch(snapshot)
  searches.set(snapshot, search)
  return search
}

function createSearch(snapshot: Library['snapshot']): Search {
  const index = new MiniSearch<{ id: string; name: string; description: string; tags: string }>({
    fields: ['name', 'description', 'tags'],
    searchOptions: { boost: { name: 2 }, prefix: true, fuzzy: 0.2 },
  })
  index.addAll(
    snapshot.skills.map(({ id, name, description, tags }) => ({
      id,
      name,
      description,
      tags: tags.join(' '),
    })),
  )
  return message => index.search(message).map(({ id }) => id as string)
}
