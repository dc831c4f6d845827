import { openLibrary } from 'skillshelf'
import { createHandler } from 'skillshelf/server'

const library = openLibrary('./skills/')
const worker = createHandler({ library })
export default worker

const match = 'https://example.com/v1/match?limit=1&message='
export async function ask(message: string) {
  const url = match + encodeURIComponent(message)
  return (await worker.fetch(new Request(url))).json()
}
