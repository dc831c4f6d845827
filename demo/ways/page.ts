import { openLibrary } from 'skillshelf'

const library = await openLibrary('./skills/')

export async function ask(message: string) {
  const { status, matches, maybe } = await library.match(message)
  if (status === 'none') return 'Nothing fits.'
  if (status === 'maybe') return maybe // Offer a choice.
  return library.get(matches[0].id)
}
