import { beforeAll, describe, expect, it } from 'vitest'
import { http, openLibrary, type SkillLibrary } from '../../src/exports/index.js'
import { archiveOf, siteV1, skill } from '../core/site-world.js'
import { type Answer, endless, startHttpServer } from './http-server.js'

const TREE = { 'a/SKILL.md': skill('a'), 'b/SKILL.md': skill('b') }

let address = ''
const answers: Record<string, Answer> = {}
const answer: Answer = (request, response) => {
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
