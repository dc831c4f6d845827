import { randomBytes } from 'node:crypto'
import { readdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { memory, openLibrary } from '../../src/exports/index.js'
import { pack, skillStore } from '../../src/exports/store.js'
import { createHandler } from '../../src/server/http/handler.js'
import { busy, manySkills, startPublishServer, TOKEN, wholeSkills } from './cli-publish-fixtures.js'
import { expectRefusal, skill, temporaryFolder } from './cli-world.js'
import { startFetchServer } from './http-server.js'

const KEPT = 'they are kept until every other skill is uploaded'
const two = {
  'skills/a/SKILL.md': skill('a', 'Mends bicycles.'),
  'skills/b/SKILL.md': skill('b', 'Bakes bread.'),
}

describe('skillshelf publish, interrupted', () => {
  it('[BY-5] after a failed upload only whole skills are stored, and another run resumes', async () => {
    const cwd = temporaryFolder(manySkills(70))
    const server = await startPublishServer()
    let left = 1
    server.intercept = async (_, asked) =>
      asked.startsWith('POST') && left-- <= 0 ? busy(500) : undefined
    const err = `32 of 70 skills were sent; run it again to go on\nskillshelf: ${server.address} answered 500\n`
    expect(await server.publish(cwd)).toMatchObject({ code: 2, out: '', err })
    // The second batch was sent five times.
    expect(server.takeRequests()).toEqual(['GET v1/store', ...Array(6).fill('POST v1/store')])
    const names = await readdir(join(cwd, 'skills'))
    expect(await wholeSkills(server.library)).toEqual(names.sort().slice(0, 32))
    server.intercept = undefined
    expect(await server.publish(cwd)).toMatchObject({
      code: 0,
      out: '38 put, 32 as they were\n',
      err: '',
    })
    expect(server.takeRequests()).toEqual(['GET v1/store', 'POST v1/store', 'POST v1/store'])
    expect(await wholeSkills(server.library)).toEqual(names)
  })

  it('[BY-5] the same after Ctrl-C', async () => {
    const cwd = temporaryFolder(manySkills(40))
    const server = await startPublishServer()
    const stopping = new AbortController()
    let left = 1
    server.intercept = async (request, asked) => {
      if (!asked.startsWith('POST') || left-- > 0) return undefined
      await request.arrayBuffer()
      stopping.abort()
      return busy()
    }
    expect(await server.publish(cwd, [], { signal: stopping.signal })).toMatchObject({
      code: 130,
      out: '',
      err: '32 of 40 skills were sent; run it again to go on\nskillshelf: interrupted\n',
    })
    expect(await wholeSkills(server.library)).toHaveLength(32)
    server.intercept = undefined
    expect((await server.publish(cwd)).out).toBe('8 put, 32 as they were\n')
    expect(await wholeSkills(server.library)).toHaveLength(40)
  })

  it('[BY-5] lost responses and a busy server are retried', async () => {
    const cwd = temporaryFolder(two)
    const source = memory({}, { name: 'store' })
    const server = await startPublishServer({}, source)
    const behind = await startPublishServer({}, source)
    let lost = 0
    server.intercept = async (request, asked) => {
      if (!asked.startsWith('POST') || ++lost > 4) return undefined
      if (lost === 2) {
        // The upload succeeds, but its response is lost.
        const { headers } = request
        await fetch(`${behind.address}v1/store`, {
          method: 'POST',
          headers,
          body: await request.arrayBuffer(),
        })
      }
      return busy(lost === 3 ? 409 : lost === 4 ? 429 : 503)
    }
    expect(await server.publish(cwd)).toMatchObject({ code: 0, out: '2 put\n', err: '' })
    expect(lost).toBe(5)
    expect(await wholeSkills(server.library)).toEqual(['a', 'b'])
  })
})

describe('skillshelf publish, refused', () => {
  it('[BY-5] a skill that is too large is named, and the others are uploaded', async () => {
    const large = {
      'skills/large/SKILL.md': skill('large', 'Is large.'),
      'skills/large/data.bin': randomBytes(8_000),
    }
    const cwd = temporaryFolder({ ...manySkills(5), ...large })
    const server = await startPublishServer({ maxUpload: 6_000 })
    expect(await server.publish(cwd)).toMatchObject({
      code: 1,
      out: '5 put, 1 refused\n',
      err: 'large (8.1 kB) was refused: The request body is larger than 6000 bytes\n',
    })
    expect(await wholeSkills(server.library)).toHaveLength(5)
    expect((await server.publish(cwd)).out).toBe('5 as they were, 1 refused\n')
  })

  it('[BY-5] a skill over the default upload limit is named', async () => {
    const cwd = temporaryFolder({ ...two, 'skills/b/data.bin': randomBytes(17 * 1_048_576) })
    const server = await startPublishServer()
    expect(await server.publish(cwd)).toMatchObject({
      code: 1,
      out: '1 put, 1 refused\n',
      err: 'b (17.8 MB) was refused: The request body is larger than 16777216 bytes\n',
    })
    expect(server.takeRequests()).toEqual(['GET v1/store', 'POST v1/store', 'POST v1/store'])
  })

  it('[BY-5] --prune removes nothing while a skill is missing on the server: it may have moved', async () => {
    const cwd = temporaryFolder({ 'skills/old/SKILL.md': skill('alpha', 'Is large.'), ...two })
    const server = await startPublishServer({ maxUpload: 6_000 })
    await server.publish(cwd)
    await rename(join(cwd, 'skills/old'), join(cwd, 'skills/new'))
    await writeFile(join(cwd, 'skills/new/data.bin'), randomBytes(8_000))
    expect(await server.publish(cwd, ['--prune'])).toMatchObject({
      code: 1,
      out: `2 as they were, 1 refused, 1 not in skills any more (${KEPT})\n  old\n`,
      err: expect.stringContaining('new (8.1 kB) was refused'),
    })
    expect(await wholeSkills(server.library)).toEqual(['a', 'b', 'old'])
    await rm(join(cwd, 'skills/new/data.bin'))
    expect(await server.publish(cwd, ['--prune'])).toMatchObject({
      code: 0,
      out: '1 put, 2 as they were, 1 removed\n',
    })
  })

  it('[BY-5] --prune does not remove a skill that another writer has changed since', async () => {
    const source = memory({}, { name: 'store' })
    const server = await startPublishServer({}, source)
    const cwd = temporaryFolder(manySkills(2))
    expect((await server.publish(cwd)).code).toBe(0)
    await rm(join(cwd, 'skills/skill-001'), { recursive: true })
    const changed = '---\nname: skill-001\ndescription: Is new.\n---\nNew.\n'
    server.intercept = async (_, asked) => {
      if (asked.startsWith('DELETE'))
        await skillStore(source).edit('skill-001', { put: { 'SKILL.md': changed } })
      return undefined
    }
    const { code, err } = await server.publish(cwd, ['--prune'])
    expect([code, err]).toEqual([
      2,
      expect.stringContaining('Folder "skill-001" has a skill with the ETag'),
    ])
    await server.library.refresh()
    expect((await server.library.get('skill-001')).description).toBe('Is new.')
  })

  it('[BY-5] a skill that cannot be read whole is not uploaded, and its stored version stays', async () => {
    const cwd = temporaryFolder({
      ...two,
      'skills/a/data.txt': 'data',
      'skills/gone/SKILL.md': skill('gone', 'Goes.'),
    })
    const server = await startPublishServer()
    await server.publish(cwd)
    await rm(join(cwd, 'skills/gone'), { recursive: true })
    await rm(join(cwd, 'skills/a/data.txt'))
    await symlink('nowhere', join(cwd, 'skills/a/data.txt'))
    await writeFile(join(cwd, 'skills/b/more.txt'), 'more')
    server.takeRequests()
    const plan =
      /^replace {2}b, .*\n1 to replace, 1 not to be sent, 1 not in skills any more \(they are kept/
    const planned = await server.publish(cwd, ['--prune', '--dry-run'])
    expect(planned).toMatchObject({ code: 1, out: expect.stringMatching(plan) })
    expect(await server.publish(cwd, ['--prune'])).toMatchObject({
      code: 1,
      out: `1 replaced, 1 not sent, 1 not in skills any more (${KEPT})
  gone
1 cannot be read whole in skills, and stays
  a
`,
      err: expect.stringContaining('a/data.txt cannot be read'),
    })
    expect((await server.library.read('a', 'data.txt')).text).toBe('data')
    expect(await wholeSkills(server.library)).toEqual(['a', 'b', 'gone'])
    await rm(join(cwd, 'skills/a/data.txt'))
    expect((await server.publish(cwd, ['--prune'])).out).toBe(
      '1 replaced, 1 as it was, 1 removed\n',
    )
  })

  it('[BY-5] a skill at the root of the store stays and is reported', async () => {
    const source = memory({}, { name: 'store' })
    const single = memory({ 'SKILL.md': skill('single', 'Stands alone.') }, { name: 'store' })
    for await (const { path, bytes } of pack(single)) await source.write({ put: { [path]: bytes } })
    const server = await startPublishServer({}, source)
    const note =
      'the server has one skill outside of any folder; it cannot be removed and is kept\n'
    const cwd = temporaryFolder(two)
    expect(await server.publish(cwd, ['--prune'])).toMatchObject({
      code: 0,
      out: `2 put\n${note}`,
      err: '',
    })
    expect((await server.publish(cwd)).out).toBe(`2 as they were\n${note}`)
    expect(server.takeRequests().filter(asked => asked.startsWith('DELETE'))).toEqual([])
    expect(await wholeSkills(server.library)).toEqual(['', 'a', 'b'])
  })

  it('[BY-5] skills that the server leaves out are reported', async () => {
    const cwd = temporaryFolder({
      ...two,
      'skills/c/SKILL.md': '---\nname: c\n---\n\nPaints walls.\n',
    })
    const server = await startPublishServer({}, memory({}, { name: 'store' }), { strict: true })
    expect((await server.publish(cwd)).err).toContain('c/SKILL.md was left out')
    expect(await wholeSkills(server.library)).toEqual(['a', 'b'])
    const { code, err } = await server.publish(cwd)
    expect(code).toBe(1)
    expect(err).toMatch(
      /(?:^|\n)c \(\d+ bytes\) was refused: upload has no usable skill: c\/SKILL\.md/,
    )
  })

  it.each([
    [
      '',
      {},
      'A write token is required\n  set SKILLSHELF_TOKEN to the write token of the server\n',
    ],
    ['ключ', {}, '`token` must consist of visible ASCII characters\n'],
    ['wrong', {}, 'rejected the token\n  use the write token of the server\n'],
    [
      TOKEN,
      { token: undefined },
      'This server is read-only\n  give `store` and `token` to createHandler\n',
    ],
  ])(
    '[BY-5] a missing or wrong token and a read-only server are reported: "%s"',
    async (token, more, why) => {
      const server = await startPublishServer(more)
      const ran = await server.publish(temporaryFolder(two), [], {
        env: { SKILLSHELF_TOKEN: token },
      })
      expect(ran).toMatchObject({ code: 2, out: '', err: expect.stringContaining(why) })
      expect(await wholeSkills(server.library)).toEqual([])
    },
  )

  it('[BY-5] --token overrides the environment variable', async () => {
    const server = await startPublishServer()
    const env = { SKILLSHELF_TOKEN: 'wrong' }
    expect((await server.publish(temporaryFolder(two), ['--token', TOKEN], { env })).out).toBe(
      '2 put\n',
    )
  })

  it('[BY-5] wrong addresses and folders are reported', async () => {
    const cwd = temporaryFolder({
      ...two,
      'empty/x.txt': 'x',
      'bad/a/SKILL.md': '',
      'packed/skillshelf.json': '{}',
    })
    const html = { 'content-type': 'text/html' }
    const serve = async (answer: () => Response) => (await startFetchServer(answer)).address
    const page = await serve(() => new Response('<!doctype html>', { headers: html }))
    const missing = await serve(() => new Response('<h1>No</h1>', { status: 404, headers: html }))
    const json = await serve(() => Response.json({ skills: [{ name: 'a' }] }))
    const moved = await serve(
      () => new Response(null, { status: 301, headers: { location: 'https://a.example/' } }),
    )
    const files = memory({}, { name: 'files' })
    const handler = createHandler({ library: openLibrary(files), files })
    const { address: readOnly } = await startFetchServer(request => handler.fetch(request))
    const server = await startPublishServer()
    for (const [to, why, dir = 'skills'] of [
      [
        page,
        `${page} is not a skillshelf server that accepts uploads\n  use the address of a skillshelf Worker`,
      ],
      [missing, `${missing} is not a skillshelf server that accepts uploads\n`],
      [json, `${json} is not a skillshelf server that accepts uploads\n`],
      [moved, `${moved} redirects to https://a.example/\n  use that address instead\n`],
      [readOnly, 'This server is read-only\n'],
      [
        'https://nowhere.invalid/',
        'Host nowhere.invalid not found\n  check the address and the network\n',
      ],
      ['example.com', '"example.com" is not the address of a server\n'],
      ['file:///x/', '"file:///x/" is not the address of a server\n'],
      ['https://me:secret@a.example/', 'is not the address of a server\n'],
      [server.address, 'No skills found in empty\n', 'empty'],
      [server.address, 'No usable skill in bad\n', 'bad'],
      [server.address, 'packed is a packed library\n', 'packed'],
      [server.address, 'No such folder: nowhere\n', 'nowhere'],
    ] as const)
      await expectRefusal(why, ['publish', dir, '--to', to, '--prune'], {
        cwd,
        env: { SKILLSHELF_TOKEN: TOKEN },
      })
    await expectRefusal("--to <url>'", ['publish'], { cwd })
  })
})
