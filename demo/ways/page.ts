import { openLibrary } from 'skillshelf'

const library = await openLibrary('./skills/')

export async function ask(message: string) {
  const found = await library.match(message)
  const [best] = found.matches
  if (!best) return found.maybe ?? 'Nothing fits.'
  return library.get(best.id)
}
