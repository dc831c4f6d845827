import { randomBytes } from 'node:crypto'
import { readdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openLibrary } from '../../src/library/library.js'
import { createHandler } from '../../src/server/http/handler.js'
import { memory } from '../../src/source/memory.js'
import { pack } from '../../src/store/pack/pack.js'
import { busy, manySkills, runningShelf, serverOf, TOKEN, wholeSkills } from './cli-publish-world.js'
import { cli, folderOf, type Ran, skill } from './cli-world.js'

const two = { 'skills/a/SKILL.md': skill('a', 'Mends bicycles.'), 'skills/b/SKILL.md': skill('b', 'Bakes bread.') }

describe('skillshelf publish, cut', () => {
  it('[BY-5] half way: whole skills only, and another run goes on', async () => {
    const cwd = await folderOf(manySkills(70))
    const shelf = await runningShelf()
    let left = 1
    shelf.instead = async (_, asked) => (asked.startsWith('POST') && left-- <= 0 ? busy(500) : undefined)
    const cut = await shelf.publish(cwd)
    expect(cut).toMatchObject({ code: 2, out: '' })
    expect(cut.err).toBe(
      `32 of 70 skills were sent; run it again to go on\nskillshelf: ${shelf.address} answered 500\n`,
    )
    // Every batch was tried five times.
    expect(shelf.asked()).toEqual(['GET v1/store', ...Array(6).fill('POST v1/store')])
    const names = await readdir(join(cwd, 'skills'))
    expect(await wholeSkills(shelf.library)).toEqual(names.sort().slice(0, 32))
    shelf.instead = undefined
    expect(await shelf.publish(cwd)).toMatchObject({ code: 0, out: '38 put, 32 as they were\n', err: '' })
    expect(shelf.asked()).toEqual(['GET v1/store', 'POST v1/store', 'POST v1/store'])
    expect(await wholeSkills(shelf.library)).toEqual(names)
  })

  it('[BY-5] by Ctrl-C: the same', async () => {
    const cwd = await folderOf(manySkills(40))
    const shelf = await runningShelf()
    const stopping = new AbortController()
    let left = 1
    shelf.instead = async (request, asked) => {
      if (!asked.startsWith('POST') || left-- > 0) return undefined
      await request.arrayBuffer()
      stopping.abort()
      return busy()
    }
    expect(await shelf.publish(cwd, [], { signal: stopping.signal })).toMatchObject({
      code: 130,
      out: '',
      err: '32 of 40 skills were sent; run it again to go on\nskillshelf: interrupted\n',
    })
    expect(await wholeSkills(shelf.library)).toHaveLength(32)
    shelf.instead = undefined
    expect((await shelf.publish(cwd)).out).toBe('8 put, 32 as they were\n')
    expect(await wholeSkills(shelf.library)).toHaveLength(40)
  })

  it('[BY-5] an answer that was lost, or a shelf that is busy, is no end', async () => {
    const cwd = await folderOf(two)
    const place = memory({}, { name: 'shelf' })
    const shelf = await runningShelf({}, place)
    const behind = await runningShelf({}, place)
    let lost = 0
    shelf.instead = async (request, asked) => {
      if (!asked.startsWith('POST') || ++lost > 4) return undefined
      if (lost === 2) {
        // It is done, but nobody is told.
        const { headers } = request
        await fetch(`${behind.address}v1/store`, { method: 'POST', headers, body: await request.arrayBuffer() })
      }
      return busy(lost === 3 ? 409 : lost === 4 ? 429 : 503)
    }
    expect(await shelf.publish(cwd)).toMatchObject({ code: 0, out: '2 put\n', err: '' })
    expect(lost).toBe(5)
    expect(await wholeSkills(shelf.library)).toEqual(['a', 'b'])
  })

  it('[BY-5] two at once, to two Workers over one bucket: neither is lost', async () => {
    const place = memory({}, { name: 'shelf' })
    const theirs = await runningShelf({}, place)
    const cwd = await folderOf({ ...two, 'skills/skill-001/SKILL.md': skill('skill-001', 'Is another one.') })
    // One of them comes whenever the other has looked and is about to write.
    const others: Ran[] = []
    const mine = await runningShelf(
      {},
      {
        ...place,
        async write(changes, options) {
          if (others.length < 2) others.push(await theirs.publish(cwd))
          return place.write(changes, options)
        },
      },
    )
    const many = await folderOf(manySkills(70))
    expect(await mine.publish(many)).toMatchObject({ code: 0, out: '70 put\n', err: '' })
    expect(others).toMatchObject([
      { code: 0, out: '3 put\n', err: '' },
      { code: 0, err: '' },
    ])
    await using library = await openLibrary(place)
    expect(await wholeSkills(library)).toEqual(['a', 'b', ...(await readdir(join(many, 'skills'))).sort()])
  })
})

describe('skillshelf publish, refused', () => {
  it('[BY-5] a skill that is too large is named, and the others go on', async () => {
    const cwd = await folderOf({
      ...manySkills(5),
      'skills/large/SKILL.md': skill('large', 'Is large.'),
      'skills/large/data.bin': randomBytes(8_000),
    })
    const shelf = await runningShelf({ maxUpload: 6_000 })
    const { code, out, err } = await shelf.publish(cwd)
    expect({ code, out }).toEqual({ code: 1, out: '5 put, 1 refused\n' })
    expect(err).toBe('large (8.1 kB) was refused: A body has at most 6000 bytes here\n')
    expect(await wholeSkills(shelf.library)).toHaveLength(5)
    expect((await shelf.publish(cwd)).out).toBe('5 as they were, 1 refused\n')
  })

  it('[BY-5] so is one that is far too large', async () => {
    const cwd = await folderOf({ ...two, 'skills/b/data.bin': randomBytes(17 * 1_048_576) })
    const shelf = await runningShelf()
    expect(await shelf.publish(cwd)).toMatchObject({
      code: 1,
      out: '1 put, 1 refused\n',
      err: 'b (17.8 MB) was refused: A body has at most 16777216 bytes here\n',
    })
    expect(shelf.asked()).toEqual(['GET v1/store', 'POST v1/store', 'POST v1/store'])
  })

  it('[BY-5] --prune removes nothing while something is not there: it may have moved', async () => {
    const cwd = await folderOf({ 'skills/old/SKILL.md': skill('alpha', 'Is large.'), ...two })
    const shelf = await runningShelf({ maxUpload: 6_000 })
    await shelf.publish(cwd)
    await rename(join(cwd, 'skills/old'), join(cwd, 'skills/new'))
    await writeFile(join(cwd, 'skills/new/data.bin'), randomBytes(8_000))
    const { code, out, err } = await shelf.publish(cwd, ['--prune'])
    expect({ code, out }).toEqual({
      code: 1,
      out: '2 as they were, 1 refused, 1 not in skills any more (they stay until all the others are on the shelf)\n  old\n',
    })
    expect(err).toContain('new (8.1 kB) was refused')
    expect(await wholeSkills(shelf.library)).toEqual(['a', 'b', 'old'])
    await rm(join(cwd, 'skills/new/data.bin'))
    expect(await shelf.publish(cwd, ['--prune'])).toMatchObject({ code: 0, out: '1 put, 2 as they were, 1 removed\n' })
  })

  it('[BY-5] a skill that cannot be read whole is not sent, and what is there of it stays', async () => {
    const cwd = await folderOf({ ...two, 'skills/a/data.txt': 'data', 'skills/gone/SKILL.md': skill('gone', 'Goes.') })
    const shelf = await runningShelf()
    await shelf.publish(cwd)
    await rm(join(cwd, 'skills/gone'), { recursive: true })
    await rm(join(cwd, 'skills/a/data.txt'))
    await symlink('nowhere', join(cwd, 'skills/a/data.txt'))
    await writeFile(join(cwd, 'skills/b/more.txt'), 'more')
    shelf.asked()
    expect(await shelf.publish(cwd, ['--prune', '--dry-run'])).toMatchObject({
      code: 1,
      out: expect.stringMatching(
        /^replace {2}b, .*\n1 to replace, 1 not to be sent, 1 not in skills any more \(they stay/,
      ),
    })
    const { code, out, err } = await shelf.publish(cwd, ['--prune'])
    expect({ code, out }).toEqual({
      code: 1,
      out: [
        '1 replaced, 1 not sent, 1 not in skills any more (they stay until all the others are on the shelf)',
        '  gone',
        '1 cannot be read whole in skills, and stays',
        '  a\n',
      ].join('\n'),
    })
    expect(err).toContain('a/data.txt cannot be read')
    expect((await shelf.library.read('a', 'data.txt')).text).toBe('data')
    expect(await wholeSkills(shelf.library)).toEqual(['a', 'b', 'gone'])
    await rm(join(cwd, 'skills/a/data.txt'))
    expect(await shelf.publish(cwd, ['--prune'])).toMatchObject({
      code: 0,
      out: '1 replaced, 1 as it was, 1 removed\n',
    })
  })

  it('[BY-5] a skill at the root of a shelf stays, and is said to be there', async () => {
    const place = memory({}, { name: 'shelf' })
    const single = memory({ 'SKILL.md': skill('single', 'Stands alone.') }, { name: 'shelf' })
    for await (const { path, bytes } of pack(single)) await place.write({ put: { [path]: bytes } })
    const shelf = await runningShelf({}, place)
    const told = 'one skill on the shelf stands in no folder: it stays, as it cannot be removed from here\n'
    const cwd = await folderOf(two)
    expect(await shelf.publish(cwd, ['--prune'])).toMatchObject({ code: 0, out: `2 put\n${told}`, err: '' })
    expect((await shelf.publish(cwd)).out).toBe(`2 as they were\n${told}`)
    expect(shelf.asked().filter(asked => asked.startsWith('DELETE'))).toEqual([])
    expect(await wholeSkills(shelf.library)).toEqual(['', 'a', 'b'])
  })

  it('[BY-5] what a shelf leaves out is said', async () => {
    const cwd = await folderOf({ ...two, 'skills/c/SKILL.md': '---\nname: c\n---\n\nPaints walls.\n' })
    const shelf = await runningShelf({}, memory({}, { name: 'shelf' }), { strict: true })
    expect((await shelf.publish(cwd)).err).toContain('c/SKILL.md was left out')
    expect(await wholeSkills(shelf.library)).toEqual(['a', 'b'])
    const { code, err } = await shelf.publish(cwd)
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringMatching(/^c \(\d+ bytes\) was refused: upload holds no skill that can be used: c\/SKILL\.md/),
    })
  })

  it.each([
    [{}, { SKILLSHELF_TOKEN: '' }, 'There is no token\n  set SKILLSHELF_TOKEN to the token of the shelf\n'],
    [{}, { SKILLSHELF_TOKEN: 'ключ' }, 'The token has characters that cannot be sent\n'],
    [{}, { SKILLSHELF_TOKEN: 'wrong' }, 'does not take this token\n  set SKILLSHELF_TOKEN to the token that'],
    [{ token: undefined }, { SKILLSHELF_TOKEN: TOKEN }, 'This shelf cannot be written to\n  whoever keeps it'],
  ])('[BY-5] no token, a wrong one, a shelf that is only read: %#', async (more, env, why) => {
    const shelf = await runningShelf(more)
    expect(await shelf.publish(await folderOf(two), [], { env })).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining(why),
    })
    expect(await wholeSkills(shelf.library)).toEqual([])
  })

  it('[BY-5] --token goes before the variable', async () => {
    const shelf = await runningShelf()
    const cwd = await folderOf(two)
    const world = { env: { SKILLSHELF_TOKEN: 'wrong' } }
    expect(await shelf.publish(cwd, ['--token', TOKEN], world)).toMatchObject({ code: 0, out: '2 put\n' })
  })

  it('[BY-5] an address that is no shelf, or none at all', async () => {
    const cwd = await folderOf({ ...two, 'empty/x.txt': 'x', 'bad/a/SKILL.md': '', 'packed/skillshelf.json': '{}' })
    const html = { 'content-type': 'text/html' }
    const page = await serverOf(() => new Response('<!doctype html>', { headers: html }))
    const missing = await serverOf(() => new Response('<h1>No</h1>', { status: 404, headers: html }))
    const json = await serverOf(() => Response.json({ skills: [{ name: 'a' }] }))
    const moved = await serverOf(() => new Response(null, { status: 301, headers: { location: 'https://a.example/' } }))
    const files = memory({}, { name: 'files' })
    const handler = createHandler({ library: openLibrary(files), files })
    const readOnly = await serverOf(request => handler.fetch(request))
    const shelf = await runningShelf()
    for (const [to, why, dir = 'skills'] of [
      [page, `${page} is not a shelf that takes skills\n  give the address of a Worker`],
      [missing, `${missing} is not a shelf that takes skills\n`],
      [json, `${json} is not a shelf that takes skills\n`],
      [moved, `${moved} leads to https://a.example/\n  give the address that it leads to\n`],
      [readOnly, 'This shelf cannot be written to\n'],
      ['https://nowhere.invalid/', 'There is no host nowhere.invalid\n  check --to and the network\n'],
      ['example.com', '--to example.com is no address of a shelf\n'],
      ['file:///x/', '--to file:///x/ is no address of a shelf\n'],
      ['https://me:secret@a.example/', 'is no address of a shelf\n'],
      [shelf.address, 'No skills found in empty\n', 'empty'],
      [shelf.address, 'bad holds no skill that can be used\n', 'bad'],
      [shelf.address, 'packed is a packed library\n', 'packed'],
      [shelf.address, 'No such folder: nowhere\n', 'nowhere'],
    ] as const)
      expect(
        await cli(['publish', dir, '--to', to, '--prune'], { cwd, env: { SKILLSHELF_TOKEN: TOKEN } }),
      ).toMatchObject({
        code: 2,
        out: '',
        err: expect.stringContaining(why),
      })
    expect(await cli(['publish'], { cwd })).toMatchObject({ code: 2, err: expect.stringContaining("--to <url>'") })
  })
})
