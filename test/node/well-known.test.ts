import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { digestOf } from '../../src/core/digest.js'
import { http, openLibrary, type SkillLibrary } from '../../src/exports/index.js'
import { bytesOf } from '../core/archive-world.js'
import { archiveOf, entryOf, indexV2, siteV1, skill } from '../core/site-world.js'
import { fails } from '../fails.js'
import { type Answer, endless, half, startHttpServer } from './http-server.js'

type Files = Record<string, Uint8Array | string | Answer>

/** A static host with ETags. `otherwise` answers for missing files. */
async function hostOf(
  files: Files,
  otherwise: Answer = (_, response) => void response.writeHead(404).end(),
) {
  const asked: IncomingMessage[] = []
  const server = await startHttpServer((request, response) => {
    asked.push(request)
    const content = files[decodeURI(request.url ?? '')]
    if (typeof content === 'function') return content(request, response)
    if (content === undefined) return otherwise(request, response)
    const etag = `"${digestOf(bytesOf(content)).slice(7, 23)}"`
    if (request.headers['if-none-match'] === etag) return void response.writeHead(304).end()
    response.writeHead(200, { etag }).end(content)
  })
  return { ...server, asked, files }
}

const names = ({ snapshot }: SkillLibrary): string[] => snapshot.skills.map(({ name }) => name)
const said = ({ snapshot }: SkillLibrary): string[] =>
  snapshot.diagnostics.map(({ code, path }) => `${code} ${path}`)

/** A v0.2 site with a SKILL.md and an archive at `archiveAt`. */
async function siteV2(
  archiveAt: string,
): Promise<{ index: Record<string, string>; files: Files; zip: Uint8Array }> {
  const zip = await archiveOf({ 'SKILL.md': skill('forms'), 'a/x.md': 'x' }, 'tar.gz')
  const entries = [
    entryOf('notes', 'skill-md', 'notes.md', skill('notes')),
    entryOf('forms', 'archive', archiveAt, zip),
  ]
  return {
    index: indexV2(...entries),
    files: { '/.well-known/agent-skills/notes.md': skill('notes') },
    zip,
  }
}

describe('a skill site on a real host', () => {
  it('[CARD-1] skill site follows redirects to artifacts on another origin', async () => {
    const { index, files, zip } = await siteV2('PLACE')
    const end = await hostOf({ '/v2/forms': zip })
    const cdn = await hostOf({
      '/forms': (_, response) =>
        response.writeHead(308, { location: `${end.address}v2/forms` }).end(),
    })
    const at = JSON.parse(JSON.stringify(index).replace('PLACE', `${cdn.address}forms`))
    const host = await hostOf({ ...at, ...files })
    await using library = await openLibrary(
      http(host.address, { headers: { authorization: 'Bearer x' } }),
    )
    expect((await library.read('forms', 'a/x.md')).text).toBe('x')
    expect(host.asked.every(({ headers }) => headers.authorization === 'Bearer x')).toBe(true)
    for (const { asked } of [cdn, end])
      expect(asked.map(({ headers }) => headers.authorization)).toEqual([undefined])
  })

  it('[BY-9] skill site does not follow redirects to a disallowed origin', async () => {
    const { index, files, zip } = await siteV2('/forms')
    const cdn = await hostOf({ '/forms': zip })
    const host = await hostOf({
      ...index,
      ...files,
      '/forms': (_, response) => response.writeHead(302, { location: `${cdn.address}forms` }).end(),
    })
    await using library = await openLibrary(http(host.address, { origins: [] }))
    expect(names(library)).toEqual(['forms', 'notes'])
    await fails(library.get('forms'), 'source-failed', {
      details: { hint: expect.stringContaining('origins') },
    })
    expect(cdn.asked).toEqual([])
    await using trusting = await openLibrary(
      http(host.address, { origins: [new URL(cdn.address).origin] }),
    )
    expect((await trusting.get('forms')).instructions).toBe('How to forms.')
  })

  it.each<[string, Answer]>([
    ['half an answer', half],
    [
      'a start page',
      (_, response) =>
        response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>'),
    ],
    ['an error', (_, response) => response.writeHead(500).end()],
    ['a body without an end', endless],
  ])('[AC-5] that gives %s for one of five skills has four', async (_, bad) => {
    const all = ['a', 'b', 'c', 'd', 'e']
    const files: Files = siteV1(
      Object.fromEntries(all.map(name => [`${name}/SKILL.md`, skill(name)])),
    )
    const good = files['/.well-known/skills/c/SKILL.md'] as string
    const host = await hostOf({ ...files, '/.well-known/skills/c/SKILL.md': bad })
    await using library = await openLibrary(
      http(host.address, { maxRetries: 0, maxBytes: 1_000_000 }),
    )
    expect([names(library), said(library)]).toEqual([
      ['a', 'b', 'd', 'e'],
      ['skill-unreadable c/SKILL.md'],
    ])
    host.files['/.well-known/skills/c/SKILL.md'] = good
    expect((await library.refresh()).added).toHaveLength(1)
    // The same bytes under any declared type.
    host.files['/.well-known/skills/c/SKILL.md'] = (_, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end(good)
    expect(await library.refresh()).toMatchObject({ added: [], changed: [], removed: [] })
    expect(said(library)).toEqual([])
  })

  it('[CARD-1] skill site is found on a host that answers missing files with its start page', async () => {
    const start: Answer = (_, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>')
    const host = await hostOf(siteV1({ 'a/SKILL.md': skill('a') }), start)
    await using library = await openLibrary(`${host.address}docs/`)
    expect([names(library), said(library)]).toEqual([['a'], []])
    await fails(openLibrary((await hostOf({}, start)).address), 'source-not-found')
    const undeclared: Answer = (_, response) => response.end('<html>')
    await using bare = await openLibrary(
      http(
        (
          await hostOf(
            { '/skillshelf.json': (_, response) => response.writeHead(404).end() },
            undeclared,
          )
        ).address,
      ),
    )
    expect(said(bare)).toEqual([expect.stringMatching(/^source-missing/)])
  })

  it('[AC-5] library keeps its skills and archives while the site is down', async () => {
    const { index, files, zip } = await siteV2('/forms.tar.gz')
    const host = await hostOf({ ...index, ...files, '/forms.tar.gz': zip })
    await using library = await openLibrary(http(host.address, { maxRetries: 0 }))
    await library.get('forms')
    await host.stop()
    expect(await library.refresh()).toMatchObject({ added: [], changed: [], removed: [] })
    expect([names(library), library.snapshot.diagnostics[0]?.code]).toEqual([
      ['forms', 'notes'],
      'source-unreadable',
    ])
    expect((await library.read('forms', 'a/x.md')).text).toBe('x')
    expect((await library.search('forms')).matches[0]?.name).toBe('forms')
  })

  it('[AC-5] library reports a missing archive and reads it once it is back', async () => {
    const { index, files, zip } = await siteV2('/forms.tar.gz')
    const host = await hostOf({ ...index, ...files })
    await using library = await openLibrary(host.address)
    await fails(library.get('forms'), 'source-failed', '/forms.tar.gz was not found')
    await fails(library.read('forms', 'a/x.md'), 'source-failed', 'forms/SKILL.md cannot be read')
    host.files['/forms.tar.gz'] = zip
    expect((await library.get('forms')).instructions).toBe('How to forms.')
  })
})
