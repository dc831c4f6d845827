import { appendFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { http, openLibrary } from '../../src/exports/index.js'
import { writeArchive } from '../../src/source/archive/write.js'
import { startPublishServer, TOKEN } from './cli-publish-fixtures.js'
import { skill, temporaryFolder } from './cli-world.js'

const varied = {
  'skills/a/SKILL.md': skill('a', 'Mends bicycles.'),
  'skills/a/scripts/a.py': 'print(1)',
  'skills/a/nested/SKILL.md': skill('nested', 'Pumps tyres.'),
  'skills/a/nested/x.txt': 'x',
  'skills/a/.config/y.txt': 'y',
  'skills/a/image.bin': new Uint8Array([0, 255, 1, 254]),
  'skills/a/._image.bin': 'a resource fork',
  'skills/财务/发票/skill.md': skill('检查发票', '检查发票的金额和税率。'),
  'skills/My Skill/SKILL.md': skill(
    'Something Else',
    'Is named otherwise, with [a link](../a/scripts/a.py).',
  ),
  'skills/bare/SKILL.md': 'Paints walls in any colour.\n',
  'skills/off/SKILL.md':
    '---\nname: off\ndescription: Is switched off.\nenabled: false\n---\n\nNothing.\n',
  'skills/empty/SKILL.md': skill('empty', 'Has an empty file.'),
  'skills/empty/none.txt': '',
  'skills/README.md': 'Of no skill.',
}

const skipped =
  'bare/SKILL.md:1: `npx skills add` skips this skill: it does not start with a frontmatter between two lines ---\n'

describe('skillshelf publish', () => {
  it('[BY-5] uploads a folder of skills, and nothing the second time', async () => {
    const cwd = temporaryFolder(varied)
    const server = await startPublishServer()
    const first = await server.publish(cwd)
    expect(first).toMatchObject({ code: 0, out: '7 put\n', err: expect.stringContaining(skipped) })
    expect(server.takeRequests()).toEqual(['GET v1/store', 'POST v1/store'])

    expect(await server.publish(cwd)).toMatchObject({
      code: 0,
      out: '7 as they were\n',
      err: skipped,
    })
    expect(server.takeRequests()).toEqual(['GET v1/store'])

    // Other clients read the same content.
    await using library = await openLibrary(http(server.address, { name: 'far' }))
    const ids = (await library.list()).map(({ id }) => id)
    expect(ids).toEqual([
      'far/My Skill',
      'far/a',
      'far/a/nested',
      'far/bare',
      'far/empty',
      'far/财务/发票',
    ])
    const files = (await library.get('far/a')).files.map(({ path }) => path)
    expect(files).toEqual(['.config/y.txt', 'image.bin', 'scripts/a.py'])
    expect([...(await library.read('far/a', 'image.bin')).bytes]).toEqual([0, 255, 1, 254])
    expect((await library.read('far/empty', 'none.txt')).text).toBe('')
    expect((await library.match('检查发票')).matches[0]?.id).toBe('far/财务/发票')
  })

  it('[BY-5] uploads only changes, lists deleted skills and removes them with --prune', async () => {
    const old = {
      'skills/old/SKILL.md': skill('old', 'Is old.'),
      'skills/older/SKILL.md': skill('older', 'Is older.'),
    }
    const cwd = temporaryFolder({ ...varied, ...old })
    const server = await startPublishServer()
    await server.publish(cwd)
    await appendFile(join(cwd, 'skills/a/SKILL.md'), '\nMore.\n')
    await writeFile(join(cwd, 'skills/a/nested/x.txt'), 'z')
    await rename(join(cwd, 'skills/old'), join(cwd, 'skills/new'))
    await rm(join(cwd, 'skills/older'), { recursive: true })
    const sent: string[] = []
    server.intercept = async (request, asked) => {
      if (asked.startsWith('POST'))
        sent.push(new TextDecoder('latin1').decode(await request.clone().arrayBuffer()))
      return undefined
    }
    expect((await server.publish(cwd, ['skills'])).out).toBe(
      '1 put, 2 replaced, 5 as they were, 2 not in skills any more (remove them with --prune)\n  old\n  older\n',
    )
    expect(sent).toHaveLength(1)
    expect(sent[0]).toContain('a/nested/x.txt')
    expect(sent[0]).not.toContain('bare')
    server.takeRequests()
    expect((await server.publish(cwd, ['--prune'])).out).toBe('8 as they were, 2 removed\n')
    expect(server.takeRequests()).toEqual([
      'GET v1/store',
      'DELETE v1/store/old',
      'DELETE v1/store/older',
    ])
    expect((await server.library.list()).map(({ path }) => path)).not.toContain('old')
    expect((await server.library.get('nested')).files.map(({ path }) => path)).toEqual(['x.txt'])
  })

  it('[BY-5] --prune keeps skills that cannot be read locally', async () => {
    const cwd = temporaryFolder({ ...varied, 'skills/b/c/SKILL.md': skill('c', 'Counts.') })
    const server = await startPublishServer()
    await server.publish(cwd)
    await writeFile(join(cwd, 'skills/bare/SKILL.md'), '')
    const { code, out, err } = await server.publish(cwd, ['--prune'])
    expect({ code, out }).toEqual({
      code: 0,
      out: '7 as they were\n1 cannot be read in skills, and stays\n  bare\n',
    })
    expect(err).toContain('bare/SKILL.md was left out')
    expect((await server.library.list()).map(({ path }) => path)).toContain('bare')
  })

  it('[BY-5] a single skill is stored in a folder of its name', async () => {
    const cwd = temporaryFolder({
      'box/SKILL.md': skill('invoice-check', 'Checks invoices.'),
      'box/x.txt': 'x',
    })
    const server = await startPublishServer()
    expect((await server.publish(cwd, ['box'])).out).toBe('1 put\n')
    expect(server.takeRequests()).toEqual(['GET v1/store', 'PUT v1/store/invoice-check'])
    expect((await server.publish(cwd, ['box/SKILL.md'])).out).toBe('1 as it was\n')
    expect(server.takeRequests()).toEqual(['GET v1/store'])
    expect((await server.library.get('store/invoice-check')).files.map(({ path }) => path)).toEqual(
      ['x.txt'],
    )
  })

  it('[BY-5] a top folder is kept, for uploads by hand too', async () => {
    const cwd = temporaryFolder({
      'skills/finance/invoice/SKILL.md': skill('invoice', 'Checks invoices.'),
    })
    const server = await startPublishServer()
    expect((await server.publish(cwd)).out).toBe('1 put\n')
    expect((await server.library.list()).map(({ path }) => path)).toEqual(['finance/invoice'])
    expect((await server.publish(cwd)).out).toBe('1 as it was\n')

    const body = await writeArchive(
      { 'legal/contract/SKILL.md': skill('contract', 'Reads.') },
      { format: 'tar.gz' },
    )
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/gzip' }
    const response = await fetch(`${server.address}v1/store`, { method: 'POST', headers, body })
    expect(await response.json()).toMatchObject({ added: ['store/legal/contract'] })
  })

  it('[BY-5] --dry-run prints the plan and changes nothing', async () => {
    const cwd = temporaryFolder(varied)
    const server = await startPublishServer()
    await server.publish(cwd)
    await writeFile(join(cwd, 'skills/a/scripts/a.py'), 'print(2)')
    await rename(join(cwd, 'skills/bare'), join(cwd, 'skills/moved'))
    server.takeRequests()
    const size = (await server.library.get('store/bare')).text.length
    expect((await server.publish(cwd, ['--dry-run', '--prune'])).out).toMatch(
      new RegExp(
        `^put {6}moved, ${size} bytes\nreplace {2}a, \\d+ bytes\nremove {3}bare\n1 to put, 1 to replace, 5 as they are, 1 to remove\n$`,
      ),
    )
    expect((await server.publish(cwd, ['--dry-run'])).out).toContain(
      '1 not in skills any more (remove them with',
    )
    expect(server.takeRequests()).toEqual(['GET v1/store', 'GET v1/store'])
  })

  it('draws progress in a terminal', async () => {
    const progress = new PassThrough()
    const server = await startPublishServer()
    const world = { progress: Object.assign(progress, { isTTY: true, columns: 80 }) }
    const ran = await server.publish(temporaryFolder(varied), [], world)
    expect([ran.out, ran.err]).toEqual(['7 put\n', expect.stringContaining(skipped)])
    const drawn = String(progress.read())
    expect(drawn).toContain('reading')
    expect(drawn).toMatch(/sending .*7\/7/)
  })
})
