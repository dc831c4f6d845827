import { beforeAll, describe, expect, it } from 'vitest'
import { openLibrary } from '../../src/exports/index.js'
import { writeArchive } from '../../src/exports/sources.js'
import { type Answer, startHttpServer } from './http-server.js'

const skill = (name: string): string => `---\nname: ${name}\ndescription: Does ${name}\n---\nHow to ${name}.\n`
const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)
const zipOf = (...names: string[]) =>
  writeArchive(Object.fromEntries(names.map(name => [`${name}/SKILL.md`, bytesOf(skill(name))])), { format: 'zip' })

let address = ''
let content: Uint8Array = new Uint8Array()
const requests: (string | undefined)[] = []
const answer: Answer = (request, response) => {
  requests.push(`${request.url} ${request.headers['if-none-match'] ?? ''}`.trim())
  const etag = `"${content.length}"`
  if (!request.url?.startsWith('/my%20skills.zip')) return void response.writeHead(404).end()
  if (request.headers['if-none-match'] === etag) return void response.writeHead(304).end()
  response.writeHead(200, { etag, 'content-type': 'application/zip' }).end(content)
}
beforeAll(async () => {
  const started = await startHttpServer(answer)
  address = `${started.address}my skills.zip?token=1`
})

describe('URL of an archive', () => {
  it('[CARD-1] openLibrary downloads an archive once and revalidates it by its version', async () => {
    content = await zipOf('a', 'b')
    requests.length = 0
    await using library = await openLibrary(address)
    expect(library.snapshot.skills.map(({ id }) => id)).toEqual(['my skills/a', 'my skills/b'])
    expect((await library.get('a')).instructions).toBe('How to a.')
    expect(requests).toEqual(['/my%20skills.zip?token=1'])

    expect((await library.refresh()).added).toEqual([])
    expect(requests).toEqual(['/my%20skills.zip?token=1', `/my%20skills.zip?token=1 "${content.length}"`])
    content = await zipOf('a', 'b', 'c')
    expect((await library.refresh()).added).toEqual(['my skills/c'])
    expect((await library.search('c')).matches[0]?.name).toBe('c')
  })

  it('[CARD-1] openLibrary reports a missing and an invalid archive', async () => {
    await using none = await openLibrary(new URL(address.replace('my skills', 'none')))
    expect(none.snapshot.diagnostics).toMatchObject([{ code: 'source-missing' }])
    content = bytesOf('<html>')
    await using broken = await openLibrary(address)
    expect(broken.snapshot.diagnostics).toMatchObject([{ code: 'source-unreadable' }])
  })
})
