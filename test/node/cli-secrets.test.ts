import { existsSync } from 'node:fs'
import { link, mkdir, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'vite'
import { describe, expect, it } from 'vitest'
import { memoryEngine, publishToEngine } from '../../src/exports/engine.js'
import { memory, openLibrary } from '../../src/exports/index.js'
import { directory } from '../../src/exports/node.js'
import { createHandler } from '../../src/exports/server.js'
import { writeArchive } from '../../src/exports/sources.js'
import { exportSkill, pack, skillStore } from '../../src/exports/store.js'
import { createKeys } from '../../src/library/signed/signature.js'
import { packFiles } from '../packed-files.js'
import { startPublishServer, TOKEN } from './cli-publish-fixtures.js'
import { cli, contentsOf, expectRefusal, skill, temporaryFolder, two } from './cli-world.js'
import { connectMcp, serving } from './serve-world.js'
import { createProject, skill as page, serveProject } from './vite-world.js'

/** Private keys and other secrets stop what would publish them, and are not served. */

const { privateKey, publicKey } = await createKeys()
const [, BODY = ''] = privateKey.split('\n')
const ENV = 'TOKEN=not-a-real-one\n'
const FOUND =
  /a\/\.env:1 is a file of environment variables; a\/keys\/team\.key:1 has a private key/
const secrets = {
  'skills/a/.env': ENV,
  'skills/a/keys/team.key': privateKey,
  'skills/a/keys/team.pub.pem': publicKey,
}
const tree = Object.fromEntries(
  Object.entries({ ...two, ...secrets }).map(([path, text]) => [
    path.slice('skills/'.length),
    text,
  ]),
)
const refused = { code: 'invalid-input', message: expect.stringMatching(FOUND) }

/** Everything in a folder as one text, with what its archives hold. */
const textOf = async (folder: string): Promise<string> => {
  const { gunzipSync } = await import('node:zlib')
  const files = Object.entries(await contentsOf(folder))
  const unpack = (path: string, text: string) =>
    /gz$/.test(path) ? gunzipSync(Buffer.from(text, 'latin1')).toString('latin1') : text
  return files.map(([path, text]) => path + unpack(path, text)).join('\n')
}

describe('pack', () => {
  it('[BY-5] names every secret, writes nothing, and packs what --allow names', async () => {
    // Enough files for a pack to have written some before it comes to the secret.
    const others = Object.fromEntries(
      Array.from({ length: 40 }, (_, n) => [`skills/0/${n}.txt`, `File ${n}`]),
    )
    const cwd = temporaryFolder({
      ...two,
      ...secrets,
      'skills/b/id_rsa': 'x',
      'skills/0/SKILL.md': skill('0', 'x'),
      ...others,
    })
    await expectRefusal(
      /a\/\.env:1 .*a\/keys\/team\.key:1 .*b\/id_rsa:1 /,
      ['pack', '--out', 'out'],
      { cwd },
    )
    expect(existsSync(join(cwd, 'out'))).toBe(false)
    // As the message prints it, as the shell completes it, and a folder.
    const allow = ['--allow', 'a/.env', '--allow', 'skills/a/keys', '--allow', './b/id_rsa']
    expect(await cli(['pack', '--out', 'out', ...allow], { cwd })).toMatchObject({
      code: 0,
      err: '',
    })
    expect(await textOf(join(cwd, 'out'))).toContain(BODY)
    await expectRefusal(/a\/keys\/team\.key:1 /, ['pack', '--out', 'no', ...allow.slice(0, 2)], {
      cwd,
    })
    await expectRefusal(
      '`--allow x/.env` is not a file or folder in skills',
      ['pack', '--out', 'no', '--allow', 'x/.env'],
      { cwd },
    )
    await expectRefusal(
      '`--allow ../other` is not',
      ['pack', '--out', 'no', '--allow', '../other'],
      { cwd },
    )
  })

  it('[BY-5] finds a secret in a SKILL.md, in a link and in a nested skill', async () => {
    const cwd = temporaryFolder({
      ...two,
      'skills/b/inner/SKILL.md': skill('inner', 'x', privateKey),
      'skills/team.pem': privateKey,
    })
    await symlink('../team.pem', join(cwd, 'skills/a/linked.txt'))
    await expectRefusal(/a\/linked\.txt:1 .*b\/inner\/SKILL\.md:6 /, ['pack', '--out', 'out'], {
      cwd,
    })
  })

  it('[BY-27] --sign takes no key from the folders that it publishes', async () => {
    const cwd = temporaryFolder({
      ...two,
      'skills/team.pem': privateKey,
      'keys/team.pem': privateKey,
    })
    const sign = (key: string, ...argv: string[]) => [
      'pack',
      '--out',
      'out',
      '--sign',
      key,
      ...argv,
    ]
    const says = (where: string) => `is in ${where}, which is published`
    await expectRefusal(says('skills'), sign('skills/team.pem'), { cwd })
    await symlink('../keys/team.pem', join(cwd, 'skills/link.pem'))
    await expectRefusal(says('skills'), sign('skills/link.pem'), { cwd })
    await symlink('skills/team.pem', join(cwd, 'out.pem'))
    await expectRefusal(says('skills'), sign('out.pem'), { cwd })
    await symlink('skills', join(cwd, 'linked'))
    await expectRefusal(
      says('linked'),
      ['pack', 'linked', '--out', 'out', '--sign', 'skills/team.pem'],
      { cwd },
    )
    await expectRefusal(
      says('keys'),
      ['pack', 'skills', '--out', 'keys', '--sign', 'keys/team.pem'],
      { cwd },
    )
    // Another name of the same file, in a skill.
    await link(join(cwd, 'keys/team.pem'), join(cwd, 'skills/a/note.txt'))
    await expectRefusal(/a\/note\.txt:1 has a private key/, sign('keys/team.pem'), { cwd })
    await rename(join(cwd, 'skills/a/note.txt'), join(cwd, 'note.txt'))
    expect(await cli(sign('keys/team.pem'), { cwd })).toMatchObject({ code: 0, err: '' })
    expect(await textOf(join(cwd, 'out'))).not.toContain(BODY)
  })

  it('[BY-27] keys new writes into no folder of skills', async () => {
    const cwd = temporaryFolder({
      ...two,
      'lib/skillshelf.json': '{}',
      'keys/x': '',
      'skills/a/deep/x': '',
    })
    for (const [name, where] of [
      ['skills/team', 'skills'],
      ['skills/a/team', 'skills/a'],
      ['skills/a/deep/team', 'skills/a'],
      ['lib/team', 'lib'],
    ] as const)
      await expectRefusal(`${where} holds skills`, ['keys', 'new', name], { cwd })
    expect((await cli(['keys', 'new', 'keys/team'], { cwd })).code).toBe(0)
  })

  it('[BY-5] the functions refuse too, and yield nothing of the skill', async () => {
    const source = memory(tree)
    const read: string[] = []
    const run = async (): Promise<void> => {
      for await (const { bytes } of pack(source)) read.push(new TextDecoder().decode(bytes))
    }
    await expect(run()).rejects.toMatchObject(refused)
    expect(read.join('\n')).not.toMatch(/not-a-real-one|Mends bicycles/)
    await expect(writeArchive(tree, { format: 'zip' })).rejects.toMatchObject(refused)
    await expect(writeArchive(tree, { format: 'zip', allow: ['a'] })).resolves.toBeInstanceOf(
      Uint8Array,
    )
    await using library = await openLibrary(source)
    const exported = { code: 'invalid-input', message: expect.stringContaining('.env:1 is') }
    await expect(exportSkill(library, 'a')).rejects.toMatchObject(exported)
    expect((await exportSkill(library, 'a', { allow: ['.env', 'keys'] })).files).toHaveLength(5)
    const engine = { engine: memoryEngine(), files: memory() }
    await expect(publishToEngine(source, engine)).rejects.toMatchObject(refused)
    expect(await engine.files.list()).toEqual([])
    expect(
      (await publishToEngine(source, { ...engine, allow: ['a/.env', 'a/keys/team.key'] })).skills,
    ).toBe(2)
    await expect(packFiles(tree, 'x', { allow: 'a' as never })).rejects.toThrow(
      '"allow" must be an array of paths',
    )
  })
})

describe('install and publish', () => {
  it('[BY-6] a store takes no secret, from a tree or a packed library, and examines what an edit adds', async () => {
    const store = skillStore(memory({}, { name: 'mine' }))
    await expect(store.install(tree)).rejects.toMatchObject(refused)
    const packed = memory(await packFiles(tree, 'x', { allow: ['a'] }))
    await expect(store.install(packed)).rejects.toMatchObject(refused)
    expect(await store.list()).toEqual([])
    await store.install(packed, { allow: ['a/.env', 'a/keys'] })
    await expect(store.export('a')).rejects.toMatchObject(refused)
    await expect(store.export('a', { allow: ['a'] })).resolves.toBeInstanceOf(Uint8Array)
    // What is stored was allowed; what is added was not.
    await store.edit('a', { put: { 'notes.md': 'x' } })
    const add = (path: string, allow?: readonly string[]) =>
      store.edit('b', { put: { [path]: privateKey } }, { allow })
    await expect(add('key.txt')).rejects.toMatchObject({
      message: expect.stringContaining('b/key.txt:1 has'),
    })
    for (const path of ['key.txt', 'b/key.txt'])
      expect((await add('key.txt', [path])).stored).toHaveLength(1)
  })

  it('[BY-6] a skill at the root is allowed by its own path', async () => {
    const files = { 'SKILL.md': skill('a', 'Mends bicycles.'), '.env': ENV }
    const store = skillStore(memory({}, { name: 'mine' }))
    await expect(store.install(files, { as: 'x/y' })).rejects.toThrow('x/y/.env:1 is')
    for (const allow of [['.env'], ['x/y/.env']])
      expect((await store.install(files, { as: 'x/y', allow })).stored).toHaveLength(1)
  })

  it('[BY-7] publish sends no secret, and the server refuses one', async () => {
    const cwd = temporaryFolder({ ...two, ...secrets })
    const server = await startPublishServer()
    const { code, err } = await server.publish(cwd)
    expect([code, err]).toEqual([2, expect.stringMatching(FOUND)])
    expect(server.takeRequests()).toEqual(['GET v1/store'])
    expect(await server.publish(cwd, ['--allow', 'a/.env', '--allow', 'a/keys'])).toMatchObject({
      code: 0,
    })
    expect((await server.library.read('a', '.env')).text).toBe(ENV)

    const put = (path: string, files: Record<string, string>) =>
      writeArchive(files, { format: 'zip', allow: Object.keys(files) }).then(body =>
        fetch(`${server.address}v1/store${path}`, {
          method: path.startsWith('/') ? 'PUT' : 'POST',
          headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/zip' },
          body,
        }),
      )
    const answer = await put('', tree)
    expect([answer.status, await answer.json()]).toEqual([
      400,
      expect.objectContaining({ detail: refused.message }),
    ])
    const files = { 'SKILL.md': skill('c', 'Brews.'), '.env': ENV }
    expect((await put('/c', files)).status).toBe(400)
    expect((await put('/c?allow=.env', files)).status).toBe(200)
  })

  it('[BY-7] publishes a folder that is one skill', async () => {
    const cwd = temporaryFolder({ 'a/SKILL.md': skill('a', 'Mends bicycles.'), 'a/.env': ENV })
    const server = await startPublishServer()
    expect((await server.publish(cwd, ['a'])).err).toContain('a/.env:1 is')
    expect(await server.publish(cwd, ['a', '--allow', 'a/.env'])).toMatchObject({ code: 0 })
  })
})

describe('serve', () => {
  it('[BY-5] serves the rest of a folder, and says what it left out', async () => {
    const leaky = {
      'skills/c/SKILL.md': skill('c', 'Has a key.', privateKey),
      'skills/b/messages.txt': `${ENV}${privateKey}`,
    }
    const cwd = temporaryFolder({ ...two, ...secrets, ...leaky })
    const { address, err } = await serving(['skills', '--api'], cwd)
    for (const line of [
      /a\/\.env:1 is .*left out/,
      /a\/keys\/team\.key:1 has a private key .*left out/,
      /c\/SKILL\.md:6 has/,
    ])
      expect(err()).toMatch(line)
    const get = (path: string) => fetch(`${address}${path}`)
    const { files } = (await (await get('v1/skills/a')).json()) as { files: { path: string }[] }
    expect(files.map(({ path }) => path)).toEqual(['keys/team.pub.pem', 'scripts/a.py'])
    for (const path of [
      '.env',
      'keys/team.key',
      'v1/skills/a/files/.env',
      'v1/skills/c',
      'skills/a/.env',
    ])
      expect((await get(path)).status, path).toBe(404)
    const catalog = await (await get('skillshelf.json')).text()
    expect(catalog).not.toMatch(/\.env|team\.key|not-a-real-one/)
    await using library = await openLibrary(address)
    expect(library.snapshot.skills.map(({ name }) => name)).toEqual(['a', 'b'])
    for (const { id } of library.snapshot.skills)
      expect(JSON.stringify(await library.get(id))).not.toContain(BODY)
    const index = (await (await get('.well-known/agent-skills/index.json')).json()) as {
      skills: { url: string }[]
    }
    for (const { url } of index.skills) {
      const bytes = await (await get(url.replace('../../', ''))).arrayBuffer()
      const { archive } = await import('../../src/exports/sources.js')
      const listed = url.endsWith('gz') ? await archive(new Uint8Array(bytes)).list?.() : []
      expect(listed?.map(({ path }) => path)).not.toContain('.env')
    }
    const client = await connectMcp(`${address}mcp`)
    const { resources } = await client.listResources()
    expect(JSON.stringify(resources)).not.toContain('.env')
    await expect(
      client.readResource({ uri: `${resources[0]?.uri.replace('SKILL.md', '.env')}` }),
    ).rejects.toThrow()
  })

  it('[BY-5] serves what --allow names, and a secret that was removed no more', async () => {
    const cwd = temporaryFolder({ ...two, ...secrets })
    const { address, err, printed } = await serving(['skills', '--api', '--allow', 'a/.env'], cwd)
    expect(err()).not.toContain('.env')
    expect(await (await fetch(`${address}v1/skills/a/files/.env`)).text()).toBe(ENV)
    await writeFile(join(cwd, 'skills/b/key.txt'), privateKey)
    await printed('b/key.txt:1 has a private key')
    expect((await fetch(`${address}v1/skills/b/files/key.txt`)).status).toBe(404)
    await expectRefusal('`--allow` needs a folder of skills', ['serve', 'out', '--allow', 'a'], {
      cwd: temporaryFolder({
        'out/skillshelf.json': '{"format":"skillshelf/1","skills":[],"segments":[]}',
      }),
    })
  })

  it('[BY-5] a packed folder serves no key that lies beside the library', async () => {
    const cwd = temporaryFolder(two)
    await cli(['pack', '--out', 'out'], { cwd })
    await mkdir(join(cwd, 'out/more'))
    for (const path of ['team.pem', 'more/notes.txt'])
      await writeFile(join(cwd, 'out', path), privateKey)
    await writeFile(join(cwd, 'out/team.pub.pem'), publicKey)
    const { address } = await serving(['out'], cwd)
    const status = async (path: string) => (await fetch(address + path)).status
    expect(await Promise.all(['team.pem', 'more/notes.txt', 'team.pub.pem'].map(status))).toEqual([
      404, 404, 200,
    ])
  })

  it('[BY-9] a handler over plain folders serves no secret', async () => {
    const cwd = temporaryFolder({ ...two, ...secrets, 'skills/a/notes.txt': privateKey })
    await using library = await openLibrary(directory(join(cwd, 'skills')))
    const ask = async (path: string, more = {}) =>
      createHandler({ library, refreshAfter: 0, ...more }).fetch(
        new Request(`https://a.test/v1/skills/a${path}`),
      )
    const listed = ((await (await ask('')).json()) as { files: { path: string }[] }).files.map(
      ({ path }) => path,
    )
    expect(listed).toEqual(['keys/team.key', 'keys/team.pub.pem', 'notes.txt', 'scripts/a.py'])
    for (const path of ['.env', 'keys/team.key', 'notes.txt']) {
      expect((await ask(`/files/${path}`)).status, path).toBe(404)
      expect((await ask(`/files/${path}`, { allow: [`skills/a/${path}`] })).status, path).toBe(200)
    }
    const part = createHandler({ library, refreshAfter: 0 }).fetch(
      new Request('https://a.test/v1/skills/a/files/notes.txt', {
        headers: { range: 'bytes=40-60' },
      }),
    )
    expect((await part).status).toBe(404)
    const { archive } = await import('../../src/exports/sources.js')
    const zip = archive(new Uint8Array(await (await ask('/archive')).arrayBuffer()))
    expect((await zip.list?.())?.map(({ path }) => path)).toEqual([
      'SKILL.md',
      'keys/team.pub.pem',
      'scripts/a.py',
    ])
  })
})

describe('the Vite plugin', () => {
  it('[BY-5] fails the build, and serves the rest in development', async () => {
    const html = {
      'index.html': '<script type="module" src="./main.js"></script>',
      'main.js': "import 'virtual:skillshelf'",
    }
    const files = {
      ...html,
      'skills/a/SKILL.md': page('a', 'Mends bicycles'),
      'skills/a/.env': ENV,
    }
    const at = createProject(files)
    await expect(build(at.config())).rejects.toThrow('a/.env:1 is a file of environment variables')
    await build(at.config({ allow: ['a/.env'] }))
    expect(await textOf(join(at.root, 'dist'))).toContain('not-a-real-one')
    const { address } = await serveProject(createProject(files))
    await using library = await openLibrary(`${address}skills/`)
    expect((await library.get('a')).files).toEqual([])
  })
})
