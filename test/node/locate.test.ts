import { beforeAll, describe, expect, it } from 'vitest'
import { http, openLibrary, type SkillLibrary } from '../../src/exports/index.js'
import { archiveOf, siteV1, skill } from '../core/site-world.js'
import { type Answer, endless, startHttpServer } from './http-server.js'

const TREE = { 'a/SKILL.md': skill('a'), 'b/SKILL.md': skill('b') }

let address = ''
const asked: (string | undefined)[] = []
const answers: Record<string, Answer> = {}
const answer: Answer = (request, response) => {
  asked.push(request.url)
  const answer = answers[request.url ?? '']
  if (answer) answer(request, response)
  else response.writeHead(404).end()
}
beforeAll(async () => {
  const started = await startHttpServer(answer)
  address = started.address
})

const ids = ({ snapshot }: SkillLibrary): string[] => snapshot.skills.map(({ id }) => id)

describe('an address on a real host', () => {
  it.each<[string, () => Promise<Uint8Array | string>]>([
    ['application/zip', () => archiveOf(TREE)],
    ['application/octet-stream', () => archiveOf(TREE, 'tar.gz')],
    [
      'text/html; charset=utf-8',
      () => archiveOf({ 'repo-1.0/a/SKILL.md': skill('a'), 'repo-1.0/b/SKILL.md': skill('b') }, 'tar.gz'),
    ],
    ['application/json', async () => JSON.stringify(TREE)],
  ])('[CARD-1] without an extension is a library when declared as %s', async (type, make) => {
    const content = await make()
    answers['/download?id=5'] = (_, response) => response.writeHead(200, { 'content-type': type }).end(content)
    await using library = await openLibrary(`${address}download?id=5`)
    expect(ids(library)).toEqual(['download/a', 'download/b'])
    expect((await library.get('a')).instructions).toBe('How to a.')
  })

  it('[CARD-1] of an archive is downloaded once, and revalidated by its version', async () => {
    let zip = await archiveOf(TREE)
    const known: (string | undefined)[] = []
    answers['/my%20skills.zip'] = ({ headers }, response) => {
      known.push(headers['if-none-match'])
      const etag = `"${zip.length}"`
      if (headers['if-none-match'] === etag) response.writeHead(304).end()
      else response.writeHead(200, { etag }).end(zip)
    }
    await using library = await openLibrary(`${address}my skills.zip`)
    expect(ids(library)).toEqual(['my skills/a', 'my skills/b'])
    expect((await library.refresh()).added).toEqual([])
    expect(known).toEqual([undefined, `"${zip.length}"`])
    zip = await archiveOf({ ...TREE, 'c/SKILL.md': skill('c') })
    expect((await library.refresh()).added).toEqual(['my skills/c'])
  })

  it('[CARD-1] follows a redirect to the file and keeps its name', async () => {
    const zip = await archiveOf(TREE)
    answers['/latest.zip'] = (_, response) => response.writeHead(302, { location: '/v2/build-7' }).end()
    answers['/v2/build-7'] = (_, response) => response.end(zip)
    asked.length = 0
    await using library = await openLibrary(`${address}latest.zip`)
    expect(ids(library)).toEqual(['latest/a', 'latest/b'])
    expect(asked).toEqual(['/latest.zip', '/v2/build-7'])
  })

  it('[BY-9] whose body never ends is limited and one clear error', async () => {
    answers['/endless'] = endless
    await using library = await openLibrary(http(`${address}endless`, { maxBytes: 1_000_000 }))
    const [problem] = library.snapshot.diagnostics
    expect([problem?.code, problem?.message]).toEqual([
      'source-unreadable',
      expect.stringContaining('longer than 1000000 bytes'),
    ])
  })

  it('[AC-5] with a site next to a response that never ends is that site', async () => {
    for (const [path, content] of Object.entries(siteV1({ 'z/SKILL.md': skill('z') })))
      answers[`/endless${path}`] = (_, response) => response.end(content)
    await using library = await openLibrary(http(`${address}endless`))
    expect(ids(library)).toEqual(['endless/z'])
  })
})
