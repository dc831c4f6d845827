import { openLibrary } from 'skillshelf'

const library = await openLibrary('./skills/')

export async function ask(message: string) {
  const { matches, maybe } = await library.match(message)
  if (matches[0]) return await library.get(matches[0].id)
  return maybe ?? 'Nothing fits.'
}
